package offer

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
)

// lineBytesMax is how many bytes are shown of the description of a tool that is only
// listed.
const lineBytesMax = 80

// examplesMax is how many tools of a server are named if there is no room for all.
const examplesMax = 3

// listed names the tools that are not whole in at most room tokens: each with a line; or
// those of servers by name only; or the servers with a count; or as much of that as there
// is room for.
func listed(w fsm.Words, rest []fsm.ToolDecl, room int) string {
	mine, theirs := parted(rest)
	for _, form := range [][]string{
		append(lines(w, mine), lines(w, slices.Concat(theirs...))...),
		append(lines(w, mine), each(theirs, func(of []fsm.ToolDecl) string {
			return w.Text(fsm.WordOfferNames, "server", of[0].ServerOf(), "tools", strings.Join(names(of), ", "))
		})...),
		append(lines(w, mine), counts(w, theirs, examplesMax)...),
		append(names(mine), counts(w, theirs, examplesMax)...),
		append(names(mine), counts(w, theirs, 0)...),
	} {
		if text := strings.Join(form, "\n"); fsm.TextTokens(text) <= room {
			return text
		}
	}
	return within(w, append(counts(w, theirs, 0), names(mine)...), room)
}

// within returns as many lines as there is room for, with the number of those left out.
func within(w fsm.Words, list []string, room int) string {
	var b strings.Builder
	for i, line := range list {
		if more := w.Text(fsm.WordOfferMore, "count", strconv.Itoa(len(list)-i)); fsm.TextTokens(b.String()+line+"\n"+more) > room && i > 0 {
			return b.String() + more
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// parted returns shelly's own tools, and those of each server, by its name.
func parted(tools []fsm.ToolDecl) (mine []fsm.ToolDecl, theirs [][]fsm.ToolDecl) {
	for _, s := range servers(tools) {
		var of []fsm.ToolDecl
		for i := range tools {
			if tools[i].ServerOf() == s {
				of = append(of, tools[i])
			}
		}
		theirs = append(theirs, of)
	}
	for i := range tools {
		if tools[i].ServerOf() == "" {
			mine = append(mine, tools[i])
		}
	}
	return mine, theirs
}

func each(lists [][]fsm.ToolDecl, as func([]fsm.ToolDecl) string) []string {
	var out []string
	for _, of := range lists {
		out = append(out, as(of))
	}
	return out
}

// counts returns the servers, each with its count and the first of its tools as examples.
func counts(w fsm.Words, theirs [][]fsm.ToolDecl, examples int) []string {
	return each(theirs, func(of []fsm.ToolDecl) string {
		word, count := fsm.WordOfferCount, strconv.Itoa(len(of))
		if examples > 0 {
			word = fsm.WordOfferServer
		}
		return w.Text(word, "server", of[0].ServerOf(), "count", count, "tools", strings.Join(names(of[:min(examples, len(of))]), ", "))
	})
}

func names(tools []fsm.ToolDecl) []string {
	var list []string
	for i := range tools {
		list = append(list, tools[i].Name)
	}
	return list
}

// lines returns tools with the beginning of their descriptions.
func lines(w fsm.Words, tools []fsm.ToolDecl) []string {
	var list []string
	for i := range tools {
		list = append(list, w.Text(fsm.WordOfferLine, "tool", tools[i].Name, "about", line(tools[i].Description)))
	}
	return list
}

// line returns the first sentence of a description, or as much of it as is shown.
func line(about string) string {
	about, _, _ = strings.Cut(strings.TrimSpace(about), "\n")
	about, _, _ = strings.Cut(about, ". ")
	return fsm.Clip(strings.TrimSuffix(about, "."), lineBytesMax)
}
