package config

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Approvals says for which tools a person decides about calls (APR-10). In a file it is a map from
// tools to never, unsafe or always; a list of names, which means always; or a list of [Approval].
// Outside a file it is the same in YAML's flow form, or names separated by commas.
type Approvals []Approval

// Approval is one entry of Approvals.
type Approval struct {
	// Tool is a tool's name; * in it stands for any text.
	Tool string `key:"tool,required"`
	// Match has patterns for arguments, by name (APR-11). Default: none, which fits any call.
	Match strict.ByName[string] `key:"match"`
	// Approve is never, unsafe or always. Default: always.
	Approve string `key:"approve" enum:"never,unsafe,always"`
}

// The words of an approval, the most cautious last.
const (
	approveNever  = "never"
	approveUnsafe = "unsafe"
	approveAlways = "always"
)

// approvalsMax bounds the number of entries.
const approvalsMax = 64

func approveWords() []string { return []string{approveNever, approveUnsafe, approveAlways} }

// Read implements [strict.Reader].
func (v *Approvals) Read(d *strict.Decoder, n *strict.Node, path string) {
	switch n.Kind {
	case strict.MapKind:
		d.Members(n, path, func(key, value *strict.Node, at string) {
			word, ok := d.Text(value, at)
			if ok && !slices.Contains(approveWords(), word) {
				d.Add(value, at, wording.Unknown("word", word, approveWords()))
			}
			*v = append(*v, Approval{Tool: key.Value, Approve: word})
		})
	case strict.ListKind:
		d.Items(n, path, func(_ int, item *strict.Node, at string) {
			a := Approval{}
			if !item.Scalar() {
				d.Value(item, &a, at)
			} else if a.Tool, _ = d.Text(item, at); strings.TrimSpace(a.Tool) == "" {
				d.Add(item, at, "names no tool")
			}
			a.Approve = cmp.Or(a.Approve, approveAlways)
			*v = append(*v, a)
		})
	default:
		d.Add(n, path, "wants a map such as {exec: always}, a list of names, or a list of maps such as {tool: exec, match: {command: \"git push*\"}, approve: always}; found "+n.String())
	}
	if len(*v) > approvalsMax {
		d.Add(n, path, "has more than 64 entries")
	}
}

// node returns the entries as YAML: as just a name where that is enough.
func (v Approvals) node() *strict.Node {
	list := strict.List().OnOneLine()
	for _, a := range v {
		if a.Approve == approveAlways && len(a.Match) == 0 {
			list.Content = append(list.Content, strict.Text(a.Tool))
			continue
		}
		m := strict.Map().OnOneLine()
		m.Put("tool", strict.Text(a.Tool))
		if len(a.Match) > 0 {
			match := strict.Map().OnOneLine()
			for _, p := range a.Match {
				match.Put(p.Name, strict.Text(p.Value))
			}
			m.Put("match", match)
		}
		m.Put("approve", strict.Text(a.Approve))
		list.Content = append(list.Content, m)
	}
	return list
}

// asks reports whether an entry makes a person decide about the calls of a tool.
func (a Approval) asks(t *fsm.ToolDecl) bool {
	return a.Approve == approveAlways || a.Approve == approveUnsafe && !t.Effects.Repeatable()
}

// rules returns what an entry says about calls with certain arguments: as it is written and, where that differs, in
// both forms in which letters and their accents can be composed, because the name of a file that a call
// gives in one of them may mean what has the other (TOL-3).
func (a Approval) rules(asks bool) []fsm.ApproveRule {
	var rules []fsm.ApproveRule
	for _, form := range []func(string) string{func(s string) string { return s }, norm.NFC.String, norm.NFD.String} {
		r := fsm.ApproveRule{Ask: asks}
		for _, m := range a.Match {
			r.Match = append(r.Match, fsm.ArgMatch{Argument: m.Name, Like: form(m.Value)})
		}
		if !slices.ContainsFunc(rules, func(other fsm.ApproveRule) bool { return slices.Equal(other.Match, r.Match) }) {
			rules = append(rules, r)
		}
	}
	return rules
}

// decide sets on a tool what the entries say about it.
func (v Approvals) decide(t *fsm.ToolDecl) {
	var own, wide *bool
	stricter := func(to **bool, asks bool) {
		if *to == nil || asks {
			*to = &asks
		}
	}
	for _, a := range v {
		switch {
		case !grant.FitsName(a.Tool, t.Name):
		case len(a.Match) > 0:
			t.Rules = append(slices.Clip(t.Rules), a.rules(a.asks(t))...)
		case a.Tool == t.Name:
			stricter(&own, a.asks(t))
		default:
			stricter(&wide, a.asks(t))
		}
	}
	switch {
	case own != nil:
		t.Approve = *own
	case wide != nil:
		t.Approve = *wide
	}
}
