package offer

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// The most that tool_help says, in tokens.
const (
	listTokens   = 500
	schemaTokens = 1000
)

// Help answers a call of tool_help (TOL-62): how to call a tool, which tools a server has,
// or which have all words of a search. It returns false if nothing is found.
func Help(c *fsm.Config, set fsm.Toolset, name, search string) (string, bool) {
	all := c.Offered(set)
	if decl, ok := c.Declared(set, name); ok && decl.Name != fsm.ToolHelp {
		return c.Words.Text(fsm.WordHelpTool, "tool", decl.Name, "about", decl.Description, "schema", Schema(c.Words, &decl)), true
	}
	found := all
	if of := slices.DeleteFunc(slices.Clone(all), func(t fsm.ToolDecl) bool { return name == "" || t.ServerOf() != name }); len(of) > 0 {
		found = of
	} else if name != "" {
		search = strings.TrimSpace(name + " " + search)
	}
	if found = matching(found, search); len(found) == 0 {
		near := wording.Nearest(name, append(names(all), servers(all)...))
		if near == "" {
			return c.Words.Text(fsm.WordHelpNothing, "name", strconv.Quote(fsm.Clip(search, 100)), "servers", strings.Join(servers(all), ", ")), false
		}
		return c.Words.Text(fsm.WordHelpNear, "name", strconv.Quote(fsm.Clip(search, 100)), "near", near), false
	}
	return within(c.Words, lines(c.Words, found), listTokens), true
}

// matching returns the tools that have all words of a search in their names or
// descriptions, those that have them in their names first.
func matching(tools []fsm.ToolDecl, search string) []fsm.ToolDecl {
	words := strings.Fields(strings.ToLower(search))
	has := func(text string) bool {
		text = strings.ToLower(text)
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	}
	var named, said []fsm.ToolDecl
	for _, t := range tools {
		switch {
		case has(t.Name):
			named = append(named, t)
		case has(t.ServerOf() + " " + t.Name + " " + t.Description):
			said = append(said, t)
		}
	}
	return append(named, said...)
}

// Schema returns a tool's arguments as they are shown.
func Schema(w fsm.Words, t *fsm.ToolDecl) string {
	if t.Parameters == "" {
		return w.Text(fsm.WordHelpNoSchema)
	}
	return w.Shorten(t.Parameters, schemaTokens)
}

// Gone reports whether an offer names a tool that no longer exists: a whole one, or one of
// a server that it lists.
func Gone(o *fsm.Offer, name string) bool {
	if o.Whole(name) {
		return true
	}
	t := fsm.ToolDecl{Name: name}
	return t.ServerOf() != "" && slices.Contains(o.Servers, t.ServerOf())
}
