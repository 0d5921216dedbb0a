package offer

import (
	"cmp"
	"slices"

	"shelly/fsm"
)

// Build chooses what is offered of a set next to a system prompt. used are the tools that
// the session has called, the last one first. The zero offer means all tools: if they fit,
// or if nothing bounds them.
func Build(c *fsm.Config, set fsm.Toolset, system string, used []string) fsm.Offer {
	all := c.Offered(set)
	room := c.Limits.OfferTokens - fsm.TextTokens(system)
	if c.Limits.OfferTokens == 0 || room >= tokensOf(all) {
		return fsm.Offer{}
	}
	help := fsm.Builtins(fsm.ToolHelp)[0]
	room -= cost(&help)
	whole, rest := split(c, all, used, room-max(min(room/4, listLeast+serverTokens*len(servers(all))), listLeast))
	help.Description = c.Words.Text(fsm.WordOfferHelp, "about", help.Description, "tools", listed(c.Words, rest, max(room-tokensOf(whole), listLeast)))
	return fsm.Offer{Own: own(c, all), Servers: servers(all), Tools: append(whole, help)}
}

// listLeast is the least room for naming the tools that are not whole, in tokens.
const listLeast = 100

// serverTokens is how many tokens a server is likely to take there, with its count and
// examples.
const serverTokens = 20

// Holds reports whether an offer stays as it is: if it was made from the same tools of
// shelly's own, and knows the present servers. A server that is away, or whose tools have
// changed, changes nothing: it may come back at any time, and the prompt would be read
// again at each turn.
func Holds(c *fsm.Config, set fsm.Toolset, system string, o *fsm.Offer) bool {
	if c.Limits.OfferTokens == 0 {
		return !o.Made()
	}
	all := c.Offered(set)
	if !o.Made() {
		return c.Limits.OfferTokens-fsm.TextTokens(system) >= tokensOf(all)
	}
	return o.Own == own(c, all) &&
		!slices.ContainsFunc(servers(all), func(s string) bool { return !slices.Contains(o.Servers, s) })
}

// split chooses the tools that are whole, as many as there is room for: those that the
// session has used, those that the configuration names, then shelly's own, builtin ones
// last. The others keep the order of their declaration.
func split(c *fsm.Config, all []fsm.ToolDecl, used []string, room int) (whole, rest []fsm.ToolDecl) {
	order := slices.Concat(used, c.Whole)
	for _, builtin := range []bool{false, true} {
		for i := range all {
			if all[i].ServerOf() == "" && all[i].Builtin == builtin {
				order = append(order, all[i].Name)
			}
		}
	}
	taken := make(map[string]bool, len(order))
	for _, name := range order {
		i := slices.IndexFunc(all, func(t fsm.ToolDecl) bool { return t.Name == name })
		if i < 0 || taken[name] || cost(&all[i]) > room {
			continue
		}
		taken[name] = true
		room -= cost(&all[i])
	}
	for i := range all {
		if taken[all[i].Name] {
			whole = append(whole, all[i])
		} else {
			rest = append(rest, all[i])
		}
	}
	return whole, rest
}

func tokensOf(tools []fsm.ToolDecl) int {
	n := 0
	for i := range tools {
		n += cost(&tools[i])
	}
	return n
}

// frameTokens is what a model's template puts around a tool, beyond the frame that the
// estimate includes.
const frameTokens = 16

// cost returns how many tokens a whole tool takes.
func cost(t *fsm.ToolDecl) int { return fsm.DeclTokens(t) + frameTokens }

// own returns a hash of shelly's own tools as the model sees them, and of what chooses
// among them.
func own(c *fsm.Config, all []fsm.ToolDecl) uint64 {
	x := fsm.NewHasher(0)
	x.Int(c.Limits.OfferTokens)
	x.Strs(c.Whole)
	for i := range all {
		if t := &all[i]; t.ServerOf() == "" {
			x.Str(t.Name)
			x.Str(t.Description)
			x.Str(t.Parameters)
		}
	}
	return x.Sum()
}

// servers returns the servers that tools come from, sorted, each once.
func servers(all []fsm.ToolDecl) []string {
	var list []string
	for i := range all {
		if s := all[i].ServerOf(); s != "" {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, cmp.Compare[string])
	return slices.Compact(list)
}
