package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Matrix makes one case of each combination of values. It is read before all other
// keys, as are the variables.
type Matrix struct{}

func (*Matrix) read(*decoder, *yaml.Node, string) {}

// row is the case of a matrix.
type row struct {
	values []*yaml.Node // of the document's names, behind those of the variables
	label  string       // behind the case's name; empty without a matrix
	line   int          // of a case that is a map of its own; 0 for others
}

// axis is a name of a product and its values.
type axis struct {
	name   string
	values []constant
}

// constant is a value that is given in vars or in matrix.
type constant struct {
	node  *yaml.Node
	exact string // tells it from others
	shown string // in the name of a case
}

// readMatrix returns the cases: all of a product, the last name varying fastest, or
// one for each map of a list (SCN-18).
func (d *decoder) readMatrix(n *yaml.Node) []row {
	var rows []row
	switch {
	case len(n.Content) == 0 || n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode:
		d.add(n, "matrix", "wants a map of lists by name, or a list of maps; found "+emptyOr(n))
	case n.Kind == yaml.MappingNode:
		rows = product(d.axes(n))
	case len(n.Content) > CasesPerFileMax:
		d.tooManyCases(n, len(n.Content))
	default:
		rows = d.listed(n)
	}
	distinct(rows)
	return rows
}

func (d *decoder) tooManyCases(n *yaml.Node, cases int) {
	count := strconv.Itoa(cases)
	if cases >= countedMax {
		count = "more than a million"
	}
	d.add(n, "matrix", fmt.Sprintf("makes %s cases; the limit is %d", count, CasesPerFileMax))
}

// countedMax is where cases are no longer counted.
const countedMax = 1_000_000

// axes reads the list of values of each name. It returns none where these would
// make too many cases.
func (d *decoder) axes(n *yaml.Node) []axis {
	cases := 1
	for i := 1; i < len(n.Content); i += 2 {
		if list := follow(n.Content[i]); list.Kind == yaml.SequenceNode && len(list.Content) > 0 {
			cases = min(countedMax, cases*min(countedMax, len(list.Content)))
		}
	}
	if cases > CasesPerFileMax {
		d.tooManyCases(n, cases)
		return nil
	}
	var list []axis
	d.members(n, "matrix", func(key, item *yaml.Node, at string) {
		item = follow(item)
		if item.Kind != yaml.SequenceNode || len(item.Content) == 0 {
			d.add(item, at, "wants a list of values, found "+emptyOr(item))
			return
		}
		d.nameOfMatrix(key, at)
		a := axis{name: key.Value}
		for i, value := range item.Content {
			v, ok := d.constant(value, element(at, i))
			if first := slices.IndexFunc(a.values, v.same); ok && first >= 0 {
				d.add(value, element(at, i), "is given before; each value makes a case")
			}
			a.values = append(a.values, v)
		}
		list = append(list, a)
	})
	return list
}

// nameOfMatrix checks and adds a name of the matrix.
func (d *decoder) nameOfMatrix(key *yaml.Node, path string) {
	if first, ok := d.where["vars."+key.Value]; ok {
		d.add(key, path, fmt.Sprintf("is a variable too, on line %d of %s; give one of them another name", first.Line, first.In(d.doc.path)))
	}
	if names := len(d.doc.names) - len(d.doc.vars); names == MatrixNamesMax {
		d.add(key, path, fmt.Sprintf("is one name too many; the limit is %d", MatrixNamesMax))
	}
	d.checkVariable(key, path)
	d.doc.name(key.Value)
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
func (d *decoder) listed(n *yaml.Node) []row {
	var rows []row
	var names []string
	seen := map[string]int{}
	for i, item := range n.Content {
		at := element("matrix", i)
		d.where[at] = d.pos(item)
		given, ok := d.rowOf(item, at, i == 0)
		if i == 0 {
			names = d.doc.names[len(d.doc.vars):]
		}
		if !ok || !d.sameNames(item, given, names, at) {
			continue
		}
		r, exact := row{line: item.Line}, ""
		for _, name := range names {
			v, _ := given.get(name)
			r = r.with(name, v)
			exact += v.exact + "\n"
		}
		if first, twice := seen[exact]; twice {
			d.add(item, at, "is the same case as "+element("matrix", first))
		}
		seen[exact] = i
		r.label = " [" + r.label + "]"
		rows = append(rows, r)
	}
	return rows
}

// rowOf reads the values of one case; the first says the names.
func (d *decoder) rowOf(n *yaml.Node, path string, first bool) (Map[constant], bool) {
	if n = follow(n); n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		d.add(n, path, "wants a map of values by name, found "+emptyOr(n))
		return nil, false
	}
	var given Map[constant]
	known := len(d.problems)
	d.members(n, path, func(key, item *yaml.Node, at string) {
		if first {
			d.nameOfMatrix(key, at)
			d.where["matrix."+key.Value] = d.pos(key)
		}
		v, _ := d.constant(item, at)
		given = append(given, Named[constant]{key.Value, v})
	})
	return given, len(d.problems) == known
}

// sameNames wants a case to give the names of the first.
func (d *decoder) sameNames(n *yaml.Node, given Map[constant], names []string, path string) bool {
	for _, g := range given {
		if !slices.Contains(names, g.Name) {
			d.at(member(path, g.Name), unknown("name", g.Name, names)+"; each case has the names of the first")
			return false
		}
	}
	for _, name := range names {
		if _, ok := given.get(name); !ok {
			d.add(n, path, "the name "+name+" is missing; each case has the names of the first")
			return false
		}
	}
	return true
}

// constant reads a value of vars or matrix.
func (d *decoder) constant(n *yaml.Node, path string) (constant, bool) {
	if n = follow(n); isNull(n) {
		d.add(n, path, absentValue(n))
		return constant{node: n}, false
	}
	v, ok := d.data(n, path)
	c := constant{node: n, exact: v.json()}
	if c.shown = clip(v.String(), shownInNameMax); v.kind == textKind && v.text != "" {
		c.shown = strings.Map(printable, clip(v.text, shownInNameMax))
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
