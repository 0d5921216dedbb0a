package document

import (
	"fmt"
	"slices"
	"strconv"

	"shelly/fsm/wording"
	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

// Matrix makes one case of each combination of values. It is read before all other
// keys, as are the variables.
type Matrix struct{}

func (*Matrix) Read(*strict.Decoder, *strict.Node, string) {}

// row is the case of a matrix.
type row struct {
	values []*strict.Node // of the document's names, after those of the variables
	label  string         // after the case's name; empty without a matrix
	line   int            // of a case that is a map of its own; 0 for others
}

// axis is a name of a product and its values.
type axis struct {
	name   string
	values []constant
}

// constant is a value that is given in vars or in matrix.
type constant struct {
	node  *strict.Node
	exact string // tells it from others
	shown string // in the name of a case
}

// readMatrix returns the cases: all of a product, the last name varying fastest, or
// one for each map of a list (SCN-18).
func (d *constants) readMatrix(n *strict.Node) []row {
	var rows []row
	switch {
	case len(n.Content) == 0 || n.Kind != strict.MapKind && n.Kind != strict.ListKind:
		d.Add(n, "matrix", "wants a map of lists by name, or a list of maps; found "+n.OrEmpty())
	case n.Kind == strict.MapKind:
		rows = product(d.axes(n))
	case len(n.Content) > CasesPerFileMax:
		d.tooManyCases(n, len(n.Content))
	default:
		rows = d.listed(n)
	}
	distinct(rows)
	return rows
}

func (d *constants) tooManyCases(n *strict.Node, cases int) {
	count := strconv.Itoa(cases)
	if cases >= countedMax {
		count = "more than a million"
	}
	d.Add(n, "matrix", fmt.Sprintf("makes %s cases; the limit is %d", count, CasesPerFileMax))
}

// countedMax is where cases are no longer counted.
const countedMax = 1_000_000

// axes reads the list of values of each name. It returns none where these would
// make too many cases.
func (d *constants) axes(n *strict.Node) []axis {
	cases := 1
	for i := 1; i < len(n.Content); i += 2 {
		if list := n.Content[i].Follow(); list.Kind == strict.ListKind && len(list.Content) > 0 {
			cases = min(countedMax, cases*min(countedMax, len(list.Content)))
		}
	}
	if cases > CasesPerFileMax {
		d.tooManyCases(n, cases)
		return nil
	}
	var list []axis
	d.Members(n, "matrix", func(key, item *strict.Node, at string) {
		item = item.Follow()
		if item.Kind != strict.ListKind || len(item.Content) == 0 {
			d.Add(item, at, "wants a list of values, found "+item.OrEmpty())
			return
		}
		d.nameOfMatrix(key, at)
		a := axis{name: key.Value}
		for i, value := range item.Content {
			v, ok := d.constant(value, strict.Element(at, i))
			if first := slices.IndexFunc(a.values, v.same); ok && first >= 0 {
				d.Add(value, strict.Element(at, i), "is given before; each value makes a case")
			}
			a.values = append(a.values, v)
		}
		list = append(list, a)
	})
	return list
}

// nameOfMatrix checks and adds a name of the matrix.
func (d *constants) nameOfMatrix(key *strict.Node, path string) {
	if first, ok := d.Where["vars."+key.Value]; ok {
		d.Add(key, path, fmt.Sprintf("is a variable too, on line %d of %s; give one of them another name", first.Line, first.In(d.path)))
	}
	if names := len(d.names) - len(d.vars); names == MatrixNamesMax {
		d.Add(key, path, fmt.Sprintf("is one name too many; the limit is %d", MatrixNamesMax))
	}
	d.checkVariable(key, path)
	d.name(key.Value)
}

// product returns a row for each combination of values.
func product(axes []axis) []row {
	rows := []row{{}}
	for _, a := range axes {
		longer := make([]row, 0, len(rows)*len(a.values))
		for _, r := range rows {
			for _, v := range a.values {
				longer = append(longer, r.with(a.name, v))
			}
		}
		rows = longer
	}
	for i := range rows {
		rows[i].label = " [" + rows[i].label + "]"
	}
	return rows
}

// with is the row with another value.
func (r row) with(name string, v constant) row {
	if r.label != "" {
		r.label += ", "
	}
	r.label += name + "=" + v.shown
	r.values = append(slices.Clip(r.values), v.node)
	return r
}

// listed reads a list of maps, each a case. All give the names of the first.
func (d *constants) listed(n *strict.Node) []row {
	var rows []row
	var names []string
	seen := map[string]int{}
	for i, item := range n.Content {
		at := strict.Element("matrix", i)
		d.Where[at] = item.Pos
		given, ok := d.rowOf(item, at, i == 0)
		if i == 0 {
			names = d.names[len(d.vars):]
		}
		if !ok || !d.sameNames(item, given, names, at) {
			continue
		}
		r, exact := row{line: item.Line}, ""
		for _, name := range names {
			v, _ := given.Get(name)
			r = r.with(name, v)
			exact += v.exact + "\n"
		}
		if first, twice := seen[exact]; twice {
			d.Add(item, at, "is the same case as "+strict.Element("matrix", first))
		}
		seen[exact] = i
		r.label = " [" + r.label + "]"
		rows = append(rows, r)
	}
	return rows
}

// rowOf reads the values of one case; the first says the names.
func (d *constants) rowOf(n *strict.Node, path string, first bool) (strict.ByName[constant], bool) {
	if n = n.Follow(); n.Kind != strict.MapKind || len(n.Content) == 0 {
		d.Add(n, path, "wants a map of values by name, found "+n.OrEmpty())
		return nil, false
	}
	var given strict.ByName[constant]
	known := len(d.Problems)
	d.Members(n, path, func(key, item *strict.Node, at string) {
		if first {
			d.nameOfMatrix(key, at)
			d.Where["matrix."+key.Value] = key.Pos
		}
		v, _ := d.constant(item, at)
		given = append(given, strict.Named[constant]{Name: key.Value, Value: v})
	})
	return given, len(d.Problems) == known
}

// sameNames wants a case to give the names of the first.
func (d *constants) sameNames(n *strict.Node, given strict.ByName[constant], names []string, path string) bool {
	for _, g := range given {
		if !slices.Contains(names, g.Name) {
			d.At(strict.Member(path, g.Name), wording.Unknown("name", g.Name, names)+"; each case has the names of the first")
			return false
		}
	}
	for _, name := range names {
		if _, ok := given.Get(name); !ok {
			d.Add(n, path, "the name "+name+" is missing; each case has the names of the first")
			return false
		}
	}
	return true
}

// constant reads a value of vars or matrix.
func (d *constants) constant(n *strict.Node, path string) (constant, bool) {
	if n = n.Follow(); n.Kind == strict.NullKind {
		d.Add(n, path, strict.Absent(n))
		return constant{node: n}, false
	}
	v, ok := data.Read(&d.Decoder, n, path)
	c := constant{node: n, exact: v.JSON()}
	if c.shown = wording.Clip(v.String(), shownInNameMax); v.Kind == data.TextKind && v.Text != "" {
		c.shown = wording.Line(wording.Clip(v.Text, shownInNameMax))
	}
	return c, ok
}

const shownInNameMax = 40 // bytes of a value in the name of a case

func (c constant) same(o constant) bool { return c.exact == o.exact }

// distinct numbers the cases whose names look the same.
func distinct(rows []row) {
	count := map[string]int{}
	for i := range rows {
		label := rows[i].label
		if count[label]++; count[label] > 1 {
			rows[i].label += " #" + strconv.Itoa(count[label])
		}
	}
}
