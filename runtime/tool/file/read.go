package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // formats whose size read_file reports
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file/charset"
)

// readFileDecl declares read_file, which changes nothing (TOL-1, TOL-20).
func readFileDecl(everywhere bool) fsm.ToolDecl {
	return fsm.ToolDecl{
		Name:        "read_file",
		Description: "Read a text file" + reach(everywhere) + ". A long one comes in parts; the last line says how to read on.",
		Parameters: `{"type":"object","properties":{` +
			`"path":{"type":"string","description":"Such as src/main.go"},` +
			`"offset":{"type":"integer","minimum":0,"description":"First line"},` +
			`"limit":{"type":"integer","minimum":0,"description":"How many lines"},` +
			`"column":{"type":"integer","minimum":0,"description":"First character, in a very long line"},` +
			`"numbers":{"type":"boolean","description":"Show line numbers"}},` +
			`"required":["path"],"additionalProperties":false}`,
		Effects: fsm.EffectsNone,
		Source:  fsm.FromWorkspace,
	}
}

// reach returns the part of a description that says where a file tool looks; empty if that is
// the workspace, which the system prompt names.
func reach(everywhere bool) string {
	if everywhere {
		return "; a path may be absolute"
	}
	return ""
}

// emptyFile is the result for a file without a text.
const emptyFile = "(empty file)"

const sampleBytes = 8 << 10 // enough to tell text from other content

// readFile is the tool read_file.
func (t *Tools) readFile(ctx context.Context, call fsm.RunTool, a tool.Arguments) tool.Result {
	path := a.Text("path", "")
	f, err := t.open(ctx, path)
	if err != nil {
		return tool.Undone(err)
	}
	defer f.Close()
	if f.info.IsDir() {
		return tool.Invalid("%s is a directory; use list_dir", strconv.Quote(path))
	}
	result := t.readOpen(ctx, path, f, a)
	owner := ownerOf(call)
	// A later part says nothing of what has changed before.
	if _, known := t.seen.known(owner, f.at.real); !result.Failed && (!known || a.Number("offset", 1) <= 1) {
		t.seen.note(owner, f.at.real, f.version())
	}
	return result
}

// readOpen returns what a call reads of a file.
func (t *Tools) readOpen(ctx context.Context, path string, f opened, a tool.Arguments) tool.Result {
	sample, err := sampleOf(f)
	if err != nil {
		return tool.Failed("%v", explain(path, err))
	}
	if len(sample) == 0 {
		return tool.Result{Text: emptyFile}
	}
	if t.secretText(sample) {
		return tool.Undone(holdsSecrets(path))
	}
	written, ok := charset.Of(sample, len(sample) < sampleBytes)
	if !ok {
		return tool.Result{Text: describe(sample, f, f.info.Size())}
	}
	p := page{
		first: max(a.Number("offset", 1), 1), column: max(a.Number("column", 1), 1), limit: a.Number("limit", 0), numbers: a.Is("numbers"),
		room: t.room(), looks: t.options.ReadBytesMax,
	}
	if err := p.fill(ctx, sample, f, written); err != nil {
		if ctx.Err() != nil {
			return tool.Stopped()
		}
		return tool.Failed("%v", explain(path, err))
	}
	result := p.result(f.info.Size())
	if p.written != "" && !result.Failed {
		result.Text = strings.TrimSuffix(result.Text, "\n") + "\n[the file is written in " + p.written + ", and shown as UTF-8]"
	}
	return result
}

// sampleOf reads the beginning of a file.
func sampleOf(f io.Reader) ([]byte, error) {
	sample := make([]byte, sampleBytes)
	n, err := io.ReadFull(f, sample)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return sample[:n], err
}

// headerBytesMax is how far into a file the size of a picture is looked for.
const headerBytesMax = 1 << 20

// describe returns what a file is that is not a text; rest is what follows the sample.
func describe(sample []byte, rest io.Reader, size int64) string {
	sized := wording.Count(int(size), "byte")
	header := io.LimitReader(io.MultiReader(bytes.NewReader(sample), rest), headerBytesMax)
	if picture, format, err := image.DecodeConfig(header); err == nil {
		return fmt.Sprintf("(image, %s, %d × %d pixels, %s; not shown as text)", strings.ToUpper(format), picture.Width, picture.Height, sized)
	}
	kind := http.DetectContentType(sample)
	if of, ok := strings.CutPrefix(kind, "image/"); ok {
		return fmt.Sprintf("(image, %s, %s; not shown as text)", of, sized)
	}
	return fmt.Sprintf("(binary file, %s, looks like %s; not shown as text)", sized, kind)
}
