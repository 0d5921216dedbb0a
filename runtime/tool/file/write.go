package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/failpoint"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file/change"
	"shelly/runtime/tool/file/charset"
)

// writeFileDecl declares write_file (TOL-22). It is unsafe: somebody may change the file between
// two starts, and the second start would overwrite that.
func writeFileDecl(everywhere bool) fsm.ToolDecl {
	return fsm.ToolDecl{
		Name:        "write_file",
		Description: "Write a whole text file, new or over an old one" + reach(everywhere) + ". To change a part, use edit_file.",
		Parameters: `{"type":"object","properties":{` +
			`"path":{"type":"string"},` +
			`"content":{"type":"string"}},` +
			`"required":["path","content"],"additionalProperties":false}`,
		Effects: fsm.EffectsUnsafe,
		Source:  fsm.FromWorkspace,
		Subject: []string{"path"},
	}
}

// writeFile is the tool write_file.
func (t *Tools) writeFile(ctx context.Context, call fsm.RunTool, a tool.Arguments) tool.Result {
	return t.rewrite(ctx, call, a, func(p *place, a tool.Arguments) (alteration, error) {
		alt, err := written(p, a)
		if err == nil && p.info != nil && !bytes.Equal(alt.content, p.held) && t.seen.changed(ownerOf(call), filepath.Join(p.real, p.name), p.version()) {
			err = tool.Refuse("%s has changed since you have read or written it: somebody else has, or a command; nothing was written: read it again from its first line", wording.PathLine(p.shown))
		}
		return alt, err
	})
}

// alteration is what a call does to a file.
type alteration struct {
	content []byte // the new content
	note    string // a remark for the result
	before  string // the old and the new text, for the diff
	after   string
}

// altering makes an alteration of a place from a call's arguments. Its errors are refusals.
type altering func(p *place, a tool.Arguments) (alteration, error)

// written returns the alteration that write_file makes: the new content, encoded as the old one
// was (TOL-22).
func written(p *place, a tool.Arguments) (alteration, error) {
	content := a.Text("content", "")
	if fenced(p, content) {
		return alteration{}, tool.Refuse("content is in a fence (```), which would stand in the file; nothing was written: give it without")
	}
	if escapedTwice(content) {
		return alteration{}, tool.Refuse(oneLine, "content")
	}
	alt := alteration{content: []byte(content), after: content}
	old, err := charset.Decode(p.held)
	if p.info == nil || len(p.held) == 0 || err != nil {
		return alt, nil
	}
	alt.before, alt.after = old.Text, strings.TrimPrefix(content, "\uFEFF")
	if old.CRLF { // as it is in before
		alt.after = strings.ReplaceAll(alt.after, "\r\n", "\n")
	}
	if line := omitted(alt.before, alt.after); line != "" {
		return alteration{}, tool.Refuse("content has %s in place of other lines, which would be lost; nothing was written: give the whole text, or change a part with edit_file", wording.Clip(strconv.Quote(line), wording.ShownMax))
	}
	encoded, err := old.Encode(alt.after)
	if err != nil {
		alt.note = "; it is now written in UTF-8, since " + old.Charset.Name + ", in which it was, lacks some of these characters"
		alt.content, err = charset.Text{CRLF: old.CRLF}.Encode(alt.after)
		return alt, err
	}
	alt.content, alt.note = encoded, kept(old)
	return alt, nil
}

// fenced reports whether a text for a place is wholly in a fence, as in a reply, where that is not part of
// what such a file holds.
func fenced(p *place, text string) bool {
	switch strings.ToLower(filepath.Ext(p.name)) {
	case "", ".md", ".markdown", ".mdx", ".qmd", ".rmd", ".rst", ".adoc", ".txt":
		return false
	}
	return unfenced(text) != text && !bytes.HasPrefix(p.held, []byte("```"))
}

// kept returns the unusual features of the encoding that a file keeps.
func kept(t charset.Text) string {
	var ways []string
	if t.Charset.Name != "" {
		ways = append(ways, t.Charset.Name)
	}
	if t.Marked && t.Charset.Name == "" {
		ways = append(ways, "a byte-order mark")
	}
	if t.CRLF {
		ways = append(ways, "CRLF line ends")
	}
	if len(ways) == 0 {
		return ""
	}
	return "; as before with " + strings.Join(ways, " and ")
}

// rewrite changes one file as a call asks (TOL-24): it resolves the place, makes the new content,
// records both (TOL-26) and writes the new one.
func (t *Tools) rewrite(ctx context.Context, call fsm.RunTool, a tool.Arguments, make altering) tool.Result {
	unlock, err := t.lock(ctx)
	if err != nil {
		return tool.Undone(fmt.Errorf("the change cannot be recorded: %w", err))
	}
	defer unlock()
	path := a.Text("path", "")
	p, err := t.place(ctx, path)
	if err != nil {
		return tool.Undone(err)
	}
	defer p.close()
	alt, err := make(p, a)
	switch {
	case err != nil:
		return tool.Undone(err)
	case len(alt.content) > contentMax:
		return tool.Invalid("the file would have %d bytes; the most is %d", len(alt.content), contentMax)
	case ctx.Err() != nil:
		return tool.Stopped()
	}
	result := t.changed(p, alt, past)
	if p.info != nil && bytes.Equal(alt.content, p.held) {
		t.seen.note(ownerOf(call), filepath.Join(p.real, p.name), p.version())
		return tool.Result{Text: wording.PathLine(path) + " holds exactly that already; nothing was written"}
	}
	return t.commit(call, p, alt, result)
}

// commit records the change and makes it.
func (t *Tools) commit(call fsm.RunTool, p *place, alt alteration, result string) tool.Result {
	r := change.Record{
		Key: call.Key, Session: call.Session, Tool: call.Name, Folder: p.real, Name: p.name, Shown: p.shown,
		At: time.Now().UnixMilli(), After: change.Hash(alt.content), Result: result, Made: p.missing(),
	}
	r.Temp = ".shelly-" + change.Hash([]byte(r.Key + r.Path()))[:16] + ".tmp"
	var before []byte
	if p.info != nil {
		r.Before = p.version().hash
		if len(p.held) <= change.TextMax {
			before = append([]byte{}, p.held...)
		}
	}
	entry, err := t.begin(r, before)
	if err != nil {
		return tool.Undone(fmt.Errorf("the change cannot be recorded: %w", err))
	}
	failpoint.Hit(failpoint.ChangeRecorded)
	renamed, err := p.replace(r.Temp, alt.content)
	failpoint.Hit(failpoint.ChangeMade)
	owner, at := ownerOf(call), filepath.Join(p.real, p.name)
	if renamed && (p.info == nil || !t.seen.changed(owner, at, p.version())) { // an edit says nothing of the rest
		t.seen.note(owner, at, version{p.made, r.After})
	}
	switch {
	case err != nil && !renamed:
		return tool.Undone(errors.Join(unwritten(p, err), entry.drop()))
	case err != nil:
		return tool.Failed("%v", explain(p.shown, err))
	}
	if err := entry.end(); err != nil {
		result += "\n[what can be undone is not in order: " + err.Error() + "]"
	}
	return tool.Result{Text: result}
}

// unwritten returns why a file was not changed.
func unwritten(p *place, err error) error {
	switch {
	case errors.Is(err, errChanged):
		return tool.Refuse("%s: %w", wording.PathLine(p.shown), err)
	case p.info == nil:
		return fmt.Errorf("%w; nothing was written", explain(p.shown, err))
	default:
		return fmt.Errorf("%w; the file is as it was", explain(p.shown, err))
	}
}

// changed returns what happens to a place, with the diff.
func (t *Tools) changed(p *place, alt alteration, tense [2]string) string {
	lines := strings.Count(alt.after, "\n")
	if !strings.HasSuffix(alt.after, "\n") && alt.after != "" {
		lines++
	}
	what := tense[1]
	if p.info == nil {
		what = tense[0]
	}
	text := what + " " + wording.PathLine(p.shown) + fmt.Sprintf(" (%s, %s%s)\n", wording.Count(lines, "line"), wording.Count(len(alt.content), "byte"), alt.note+dropped(p.info))
	if p.info == nil {
		return text
	}
	return text + shortened(diffOf(alt.before, alt.after), t.room()-len(text)-marksRoom)
}

// dropped returns a remark that a file loses its right to run as somebody, as it does when a program
// that is not root writes to it.
func dropped(info fs.FileInfo) string {
	if info == nil || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) == 0 {
		return ""
	}
	return "; without its set-user-id or set-group-id bit, which is for a person to set"
}

// The words for a new file and for a changed one, present and past.
var (
	past   = [2]string{"created", "wrote"}
	future = [2]string{"would create", "would write"}
)

// marksRoom is the room for the marks below a diff.
const marksRoom = 64
