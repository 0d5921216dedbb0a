package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file/charset"
)

// Bounds of one call: its edits, the places that they replace, and the bytes of the text that they
// make, which may be three times those of the file, because UTF-8 is longer than some encodings.
const (
	editsMax  = 100
	placesMax = 1 << 20
	textMax   = 3 * contentMax
)

// editFileDecl declares edit_file (TOL-23), which is unsafe: a second start would not find
// what the first replaced, or would replace it twice.
func editFileDecl(everywhere bool) fsm.ToolDecl {
	const one = `"old":{"type":"string"},"new":{"type":"string"},"all":{"type":"boolean"}`
	return fsm.ToolDecl{
		Name: "edit_file",
		Description: "Replace text in a file" + reach(everywhere) + ". old must be there exactly once, word for word, with its indentation; " +
			"with all, every place is replaced. edits: several, all or none. An empty old makes a new file.",
		Parameters: `{"type":"object","properties":{` +
			`"path":{"type":"string"},` + one + `,` +
			fmt.Sprintf(`"edits":{"type":"array","maxItems":%d,"items":{"type":"object","properties":{%s},"required":["old","new"]}}},`, editsMax, one) +
			`"required":["path"],"additionalProperties":false}`,
		Effects: fsm.EffectsUnsafe,
		Source:  fsm.FromWorkspace,
		Subject: []string{"path"},
	}
}

// editFile is the tool edit_file.
func (t *Tools) editFile(ctx context.Context, call fsm.RunTool, a tool.Arguments) tool.Result {
	return t.rewrite(ctx, call, a, edited)
}

// edit is one replacement.
type edit struct {
	name     string // its name in the call's failure; empty: it is the only one
	old, new string
	all      bool
	indents  bool   // in the file, the indentation of lines means something
	remark   string // on how old differs from what it was found as
}

// editsOf reads the edits of a call.
func editsOf(a tool.Arguments) ([]edit, error) {
	list, _ := a["edits"].([]any)
	_, hasOld := a["old"]
	_, hasNew := a["new"]
	if len(list) > 0 && a.Text("old", "") == "" && a.Text("new", "") == "" { // as good as left out
		hasOld, hasNew = false, false
	}
	switch {
	case len(list) > 0 && (hasOld || hasNew):
		return nil, tool.Refuse("give either old and new, or edits, not both")
	case len(list) == 0 && !hasNew:
		return nil, tool.Refuse("new is missing: give old and new, or edits: [{\"old\": …, \"new\": …}]")
	case len(list) == 0 && !hasOld:
		return nil, tool.Refuse("old is missing: the text to replace, word for word; to write a whole file, use write_file")
	case len(list) == 0:
		return []edit{{old: a.Text("old", ""), new: a.Text("new", ""), all: a.Is("all")}}, nil
	}
	edits := make([]edit, len(list))
	for i, item := range list {
		of, _ := item.(map[string]any)
		one := tool.Arguments(of)
		edits[i] = edit{old: one.Text("old", ""), new: one.Text("new", ""), all: one.Is("all")}
		if _, given := of["all"]; !given { // what the call says is for all of them
			edits[i].all = a.Is("all")
		}
		if len(list) > 1 {
			edits[i].name = fmt.Sprintf("edit %d of %d: ", i+1, len(list))
		}
	}
	return edits, nil
}

// edited returns the alteration that edit_file makes (TOL-23). Each edit is looked up in the
// original text, so that no edit replaces what another one inserted.
func edited(p *place, a tool.Arguments) (alteration, error) {
	edits, err := editsOf(a)
	if err != nil {
		return alteration{}, err
	}
	for _, e := range edits {
		if fenced(p, e.new) && unfenced(e.old) == e.old {
			return alteration{}, tool.Refuse("%snew is in a fence (```), which would stand in the file; nothing was changed: give it without", e.name)
		}
		if line := omitted(e.old, e.new); line != "" {
			return alteration{}, tool.Refuse("%snew has %s in place of other lines, which would be lost; nothing was changed: give only what changes, and that whole", e.name, wording.Clip(strconv.Quote(line), wording.ShownMax))
		}
		if p.info != nil && insertsEscaped(e.old, e.new) {
			return alteration{}, tool.Refuse("%snew is one line with \\n in it; nothing was changed: escape its line ends once, or if it is meant so, end old and new with one", e.name)
		}
	}
	if p.info == nil {
		return created(p, edits)
	}
	old, err := charset.Decode(p.held)
	if err != nil {
		return alteration{}, tool.Refuse("%s is not a text that edit_file can change; nothing was changed", wording.PathLine(p.shown))
	}
	if old.CRLF || !strings.Contains(old.Text, "\r\n") {
		for i := range edits {
			edits[i].old = strings.ReplaceAll(edits[i].old, "\r\n", "\n")
			edits[i].new = strings.ReplaceAll(edits[i].new, "\r\n", "\n")
		}
	}
	for i := range edits {
		edits[i].indents = indents(p.name)
	}
	text, err := replaced(old.Text, edits)
	if err != nil {
		return alteration{}, tool.Refuse("%s: %w; nothing was changed", wording.PathLine(p.shown), err)
	}
	content, err := old.Encode(text)
	if err != nil {
		return alteration{}, tool.Refuse("%s is written in %s, which lacks some of the new characters; nothing was changed: write_file writes it in UTF-8", wording.PathLine(p.shown), old.Charset.Name)
	}
	return alteration{content: content, note: kept(old) + remarks(edits), before: old.Text, after: text}, nil
}

// remarks returns what the edits of a call were made in spite of, each once.
func remarks(edits []edit) (text string) {
	for _, e := range edits {
		if !strings.Contains(text, e.remark) {
			text += e.remark
		}
	}
	return text
}

// created returns a new file, whose only edit replaces nothing.
func created(p *place, edits []edit) (alteration, error) {
	if len(edits) != 1 || edits[0].old != "" {
		return alteration{}, tool.Refuse("no such file: %s%s; write_file makes a new one", strconv.Quote(p.shown), p.near())
	}
	if escapedTwice(edits[0].new) {
		return alteration{}, tool.Refuse(oneLine, "new")
	}
	return alteration{content: []byte(edits[0].new), after: edits[0].new}, nil
}

// stretch is a part of the text that an edit replaces.
type stretch struct {
	from, to int
	of       *edit
	new      string
}

// replaced makes all edits in a text, or returns an error that names the one that cannot be made.
func replaced(text string, edits []edit) (string, error) {
	var stretches []stretch
	size := len(text)
	for i := range edits {
		e := &edits[i]
		found, err := e.find(text)
		if err != nil {
			return "", fmt.Errorf("%s%w", e.name, err)
		}
		if stretches = append(stretches, found...); len(stretches) > placesMax {
			return "", fmt.Errorf("%sthere are more than %d places to replace, the most of one call", e.name, placesMax)
		}
		for _, s := range found {
			size += len(s.new) - (s.to - s.from)
		}
	}
	if size > textMax {
		return "", fmt.Errorf("the file would have %d bytes; the most is %d", size, contentMax)
	}
	slices.SortFunc(stretches, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	at := 0
	for _, s := range stretches {
		if s.from < at {
			return "", fmt.Errorf("%sit replaces a part of line %d that another edit replaces, too; make one edit of the two", s.of.name, lineAt(text, s.from))
		}
		b.WriteString(text[at:s.from])
		b.WriteString(s.new)
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String(), nil
}

// linesNamedMax is the most lines that an edit's failure names.
const linesNamedMax = 8

// find returns the stretches that an edit replaces.
func (e *edit) find(text string) ([]stretch, error) {
	switch {
	case e.old == "" && text == "":
		return []stretch{{0, 0, e, e.new}}, nil
	case e.old == "":
		return nil, errors.New("old is empty, and the file is there; give the text to replace, or to add a text, the line next to it as old and both as new; write_file replaces all")
	case e.old == e.new:
		return nil, errors.New("nothing to change: old and new are the same")
	}
	found := e.exact(text)
	splits := func(s stretch) bool { return s.from > 0 && text[s.from-1:s.from+1] == "\r\n" } // and would leave a part of it
	if len(found) == 0 && strings.Contains(text, "\r\n") || slices.ContainsFunc(found, splits) {
		found = e.either(text)
	}
	if len(found) == 0 {
		found = e.meant(text)
	}
	switch {
	case len(found) == 0:
		return nil, errors.New(missing(text, e.old))
	case len(found) > placesMax:
		return nil, fmt.Errorf("old is found more than %d times, the most that one call replaces; give more of the text around what is meant", placesMax)
	case len(found) > 1 && !e.all:
		var lines []string
		for _, s := range found[:min(len(found), linesNamedMax)] {
			lines = append(lines, strconv.Itoa(lineAt(text, s.from)))
		}
		times := strconv.Itoa(len(lines))
		if len(found) > linesNamedMax {
			times = "more than " + times
		}
		return nil, fmt.Errorf("old is found %s times, on lines %s; give more of the text around the one that is meant, or all: true", times, strings.Join(lines, ", "))
	}
	if at := slices.IndexFunc(found, func(s stretch) bool { return e.indents && s.outdented(text) }); at >= 0 {
		return nil, fmt.Errorf("old begins after the indentation of line %d, and new goes on without any; give both with that of each line", lineAt(text, found[at].from))
	}
	return found, nil
}

// exact returns the stretches that are old as it stands, at most one more than a call may replace. If only one
// may be meant, others that overlap with it count, and no more are returned than are named.
func (e *edit) exact(text string) (found []stretch) {
	most, step := placesMax, len(e.old)
	if !e.all {
		most, step = linesNamedMax, 1
	}
	for at := 0; ; {
		i := strings.Index(text[at:], e.old)
		if i < 0 || len(found) > most {
			return found
		}
		from := at + i
		at = from + step
		found = append(found, stretch{from, from + len(e.old), e, e.new})
	}
}

// either returns the stretches that are old apart from CRLF and LF line ends. The new text gets
// the first line end of the one that it replaces.
func (e *edit) either(text string) (found []stretch) {
	feeds := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	short := edit{old: feeds(e.old), new: feeds(e.new), all: e.all}
	place := func() func(int) int { // where in text a byte of the short one is, which is never before the last
		at, shortAt := 0, 0
		return func(to int) int {
			for ; shortAt < to; shortAt++ {
				if strings.HasPrefix(text[at:], "\r\n") {
					at++
				}
				at++
			}
			return at
		}
	}
	begin, end := place(), place()
	for _, s := range short.exact(feeds(text)) {
		from, to := begin(s.from), end(s.to)
		with := short.new
		if i := strings.IndexByte(text[from:to], '\n'); i > 0 && text[from+i-1] == '\r' {
			with = strings.ReplaceAll(with, "\n", "\r\n")
		}
		found = append(found, stretch{from, to, e, with})
	}
	return found
}

// lineAt returns the number of the line that holds a byte, from 1.
func lineAt(text string, at int) int { return strings.Count(text[:at], "\n") + 1 }
