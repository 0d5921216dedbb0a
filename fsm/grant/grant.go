package grant

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
)

// Needs reports whether a person decides about a call of a tool (APR-10): a matching rule
// says so, or else the tool's declaration. A person always decides if the model wrote the
// call as text and the tool has effects (APR-9). Grants do not matter here.
func Needs(c *fsm.Config, decl *fsm.ToolDecl, call fsm.ToolCall) bool {
	if call.Text && decl.Effects != fsm.EffectsNone && c.Switches.Reading == fsm.ReadingCareful {
		return true
	}
	if len(decl.Rules) == 0 {
		return decl.Approve
	}
	args, read := argumentsOf(call.Args)
	spared := false
	for i := range decl.Rules {
		switch r := &decl.Rules[i]; {
		case r.Ask && (!read || all(r.Match, func(m fsm.ArgMatch) bool { return anyAsks(m, args) })):
			return true
		case !r.Ask && read && all(r.Match, func(m fsm.ArgMatch) bool { return allSpare(m, args) }):
			spared = true
		}
	}
	return decl.Approve && !spared
}

// Covers reports whether one of grants covers a call of a tool in a session (APR-12). A
// grant for more than one text of an argument does not cover a call that the model wrote as
// text.
func Covers(grants []fsm.Grant, session string, decl *fsm.ToolDecl, call fsm.ToolCall) bool {
	return slices.ContainsFunc(grants, func(g fsm.Grant) bool {
		return g.Tool == decl.Name && (g.Session == "" || g.Session == session) && (!call.Text || Literal(&g)) && covers(&g, decl, call)
	})
}

func covers(g *fsm.Grant, decl *fsm.ToolDecl, call fsm.ToolCall) bool {
	if g.Any {
		return true
	}
	args, read := argumentsOf(call.Args)
	if !read {
		return false
	}
	for _, a := range subject(decl, args) { // no argument that the grant does not name
		if !slices.ContainsFunc(g.Match, func(m fsm.ArgMatch) bool { return strings.EqualFold(m.Argument, a.name) }) {
			return false
		}
	}
	return all(g.Match, func(m fsm.ArgMatch) bool { return allSpare(m, args) })
}

// Of returns the grant that an approval of a call in a session leads to, or false if it is
// for that call alone.
func Of(d fsm.Decided, session string, decl *fsm.ToolDecl, call fsm.ToolCall, at fsm.Millis) (fsm.Grant, bool) {
	g := fsm.Grant{Tool: decl.Name, By: d.By, At: at}
	switch {
	case !d.Approve:
		return g, false
	case d.Grant == fsm.GrantAlways:
	case d.Grant == fsm.GrantSession && session != "":
		g.Session = session
	default:
		return g, false
	}
	args, read := argumentsOf(call.Args)
	if !read {
		return g, false
	}
	for _, a := range subject(decl, args) {
		g.Match = append(g.Match, fsm.ArgMatch{Argument: a.name, Like: quoted(a.text)})
	}
	slices.SortFunc(g.Match, func(a, b fsm.ArgMatch) int {
		return cmp.Or(strings.Compare(a.Argument, b.Argument), strings.Compare(a.Like, b.Like))
	})
	return g, true
}

// ID returns the id of a grant, made from what it covers: "g" and at most 13 characters.
// Two grants that cover the same have the same id.
func ID(g *fsm.Grant) string {
	x := fsm.NewHasher(0)
	x.Str(g.Session)
	x.Str(g.Tool)
	x.Bool(g.Any)
	for _, m := range g.Match {
		x.Str(m.Argument)
		x.Str(m.Like)
	}
	return "g" + strconv.FormatUint(x.Sum(), 36)
}

// Add returns list with a grant added, unless it has it. Beyond [fsm.SessionGrantsMax] the
// oldest grants of sessions are dropped.
func Add(list []fsm.Grant, g fsm.Grant) []fsm.Grant {
	list = Without(list, func(o *fsm.Grant) bool { return ID(o) == ID(&g) })
	list = append(slices.Clip(list), g)
	for held(list) > fsm.SessionGrantsMax {
		i := slices.IndexFunc(list, func(o fsm.Grant) bool { return o.Session != "" })
		list = slices.Delete(slices.Clone(list), i, i+1)
	}
	return list
}

func held(list []fsm.Grant) int {
	n := 0
	for i := range list {
		if list[i].Session != "" {
			n++
		}
	}
	return n
}

// Without returns list without the grants for which gone is true. The given list is not
// changed.
func Without(list []fsm.Grant, gone func(*fsm.Grant) bool) []fsm.Grant {
	var kept []fsm.Grant
	for i := range list {
		if !gone(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// all reports whether holds is true for each of match.
func all(match []fsm.ArgMatch, holds func(fsm.ArgMatch) bool) bool {
	return !slices.ContainsFunc(match, func(m fsm.ArgMatch) bool { return !holds(m) })
}

// anyAsks reports whether a pattern that asks fits an argument. Case is ignored in names,
// because some tools ignore it.
func anyAsks(m fsm.ArgMatch, args []argument) bool {
	return slices.ContainsFunc(args, func(a argument) bool { return strings.EqualFold(a.name, m.Argument) && asksFor(m.Like, a.text) })
}

// allSpare reports whether a pattern that spares a question fits an argument, every time
// that it is given.
func allSpare(m fsm.ArgMatch, args []argument) bool {
	given := false
	for _, a := range args {
		if strings.EqualFold(a.name, m.Argument) {
			if given = true; !spares(m.Like, a.text) {
				return false
			}
		}
	}
	return given
}
