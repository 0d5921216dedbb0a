package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file/charset"
)

// readFileDecl declares read_file, which changes nothing (TOL-1).
func readFileDecl(everywhere bool) fsm.ToolDecl {
	return fsm.ToolDecl{
		Name: "read_file",
		Description: "Read a text file" + reach(everywhere) + ". A long file comes in parts: " +
			"the last line of the result then says with which offset to read on.",
		Parameters: `{"type":"object","properties":{` +
			`"path":{"type":"string","description":"The file, relative to the workspace, such as src/main.go"},` +
			`"offset":{"type":"integer","minimum":1,"maximum":1000000000,"description":"The line to begin at; 1 if left out"},` +
			`"limit":{"type":"integer","minimum":1,"maximum":1000000000,"description":"How many lines to read; as many as fit if left out"}},` +
			`"required":["path"],"additionalProperties":false}`,
		Effects: fsm.EffectsNone,
		Source:  fsm.FromWorkspace,
	}
}

// reach says in a description where a file tool looks.
func reach(everywhere bool) string {
	if everywhere {
		return "; a path may be absolute"
	}
	return " of the workspace"
}

const sampleBytes = 8 << 10 // what tells text from anything else

// readFile is the tool read_file.
func (t *Tools) readFile(ctx context.Context, _ fsm.RunTool, a tool.Arguments) tool.Result {
	path := a.Text("path", "")
	f, err := t.open(ctx, path)
	if err != nil {
		return tool.Undone(err)
	}
	defer f.Close()
	if f.info.IsDir() {
		return tool.Invalid("%s is a directory; use list_dir", strconv.Quote(path))
	}
	sample := make([]byte, sampleBytes)
	n, err := io.ReadFull(f, sample)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return tool.Failed("%v", explain(path, err))
	}
	sample = sample[:n]
	if n == 0 {
		return tool.Result{Text: "(empty file)"}
	}
	written, ok := charset.Of(sample, n < sampleBytes)
	if !ok {
		return tool.Result{Text: fmt.Sprintf("(binary file, %d bytes, looks like %s; not shown as text)",
			f.info.Size(), http.DetectContentType(sample))}
	}
	p := page{
		first: a.Number("offset", 1),
		limit: a.Number("limit", 0),
		room:  t.room(),
		looks: t.options.ReadBytesMax,
	}
	if err := p.fill(ctx, sample, f, written); err != nil {
		if ctx.Err() != nil {
			return tool.Stopped()
		}
		return tool.Failed("%v", explain(path, err))
	}
	result := p.result(f.info.Size())
	if written.Name != "" && !result.Failed {
		result.Text = strings.TrimSuffix(result.Text, "\n") + "\n[the file is written in " + written.Name + ", and shown as UTF-8]"
	}
	return result
}

// page is the part of a file that one result shows.
type page struct {
	first int // the first line to show, from 1
	limit int // lines to show; 0 is no limit
	room  int // bytes to show
	looks int // bytes of the file to look at

	text    []byte
	lines   int  // lines begun so far
	cutLine bool // the one line shown is longer than room
	more    bool // lines follow
	beyond  bool // bytes follow that may not be looked at
}

// fill reads the page. The sample is the beginning of f and has been read.
func (p *page) fill(ctx context.Context, sample []byte, f io.Reader, written charset.Charset) error {
	limited := &io.LimitedReader{R: io.MultiReader(bytes.NewReader(sample), f), N: int64(p.looks)}
	// A line that does not fit the buffer does not fit the page either.
	in := bufio.NewReaderSize(written.Encoding.NewDecoder().Reader(limited), p.room+utf8.UTFMax)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.limit > 0 && p.lines >= p.first-1+p.limit || p.cutLine {
			_, err := in.Peek(1)
			p.more = err == nil
			p.beyond = !p.more && follows(limited, f)
			return nil
		}
		chunk, err := in.ReadSlice('\n')
		long, ended := errors.Is(err, bufio.ErrBufferFull), errors.Is(err, io.EOF)
		if err != nil && !long && !ended {
			return err
		}
		if len(chunk) > 0 && !p.add(chunk) {
			p.more = true
			return nil
		}
		if ended {
			p.beyond = follows(limited, f)
			return nil
		}
		if long {
			if err := skipLine(ctx, in); err != nil {
				return err
			}
		}
	}
}

// follows reports whether reading ended at the limit and not with the file.
func follows(limited *io.LimitedReader, f io.Reader) bool {
	if limited.N > 0 {
		return false
	}
	n, _ := f.Read(make([]byte, 1))
	return n > 0
}

// add takes the next line, or the beginning of one too long for any page. It
// returns false if there is no room for it.
func (p *page) add(line []byte) bool {
	if p.lines+1 < p.first {
		p.lines++
		return true
	}
	text := tool.Mend(string(line))
	if len(p.text)+len(text) > p.room {
		if len(p.text) > 0 {
			return false
		}
		text = wording.Edge(text, p.room)
		p.cutLine = true
	}
	p.text = append(p.text, text...)
	p.lines++
	return true
}

// skipLine reads to the end of a line.
func skipLine(ctx context.Context, in *bufio.Reader) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// result is the page and how to read on.
func (p *page) result(size int64) tool.Result {
	if len(p.text) == 0 && p.beyond {
		return tool.Invalid("line %d lies beyond the first %d bytes of the file, and read_file looks no further (tools.read_bytes_max)",
			p.first, p.looks)
	}
	if len(p.text) == 0 {
		return tool.Invalid("there is no line %d; the file has %d lines", p.first, p.lines)
	}
	text := string(p.text)
	if !p.cutLine && !p.more && !p.beyond {
		return tool.Result{Text: text}
	}
	if text[len(text)-1] != '\n' {
		text += "\n"
	}
	text += fmt.Sprintf("[lines %d to %d of a file of %d bytes", p.first, p.lines, size)
	if p.cutLine {
		text += fmt.Sprintf("; line %d is cut, it is too long to show", p.lines)
	}
	switch {
	case p.more:
		text += fmt.Sprintf("; read on with offset %d", p.lines+1)
	case p.beyond:
		text += fmt.Sprintf("; read_file looks at the first %d bytes only (tools.read_bytes_max)", p.looks)
	}
	return tool.Result{Text: text + "]"}
}
