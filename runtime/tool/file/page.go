package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"shelly/fsm/wording"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file/charset"
)

// page is the part of a file that one result shows.
type page struct {
	first   int  // the first line to show, from 1
	column  int  // the character of the first line to begin at, from 1
	limit   int  // lines to show; 0: no limit
	numbers bool // each line begins with its number
	room    int  // bytes to show
	looks   int  // bytes of the file to look at

	text   []byte
	lines  int  // lines begun so far
	cut    int  // the character at which the last line, which is longer than room, continues; 0: it is shown whole
	more   bool // more lines follow
	beyond bool // more bytes follow, beyond the limit
	short  bool // the first line ends before the column

	written string // the encoding's name; empty: UTF-8
}

// fill reads the page. The sample is the beginning of f, which has been read already.
func (p *page) fill(ctx context.Context, sample []byte, f io.Reader, written charset.Charset) error {
	limited := &io.LimitedReader{R: io.MultiReader(bytes.NewReader(sample), f), N: int64(p.looks)}
	// A line that does not fit the buffer does not fit the page either.
	text := written.Reader(limited, sample)
	defer func() { p.written = text.Charset.Name }()
	in := bufio.NewReaderSize(text, p.room+utf8.UTFMax)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.limit > 0 && p.lines >= p.first-1+p.limit || p.cut > 0 {
			_, err := in.Peek(1)
			p.more = err == nil
			p.beyond = !p.more && follows(limited, f)
			return nil
		}
		if p.lines == p.first-1 && p.column > 1 {
			if err := p.skip(ctx, in); err != nil || p.short {
				p.beyond = follows(limited, f)
				return err
			}
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

// skip skips the characters of the first line before the column.
func (p *page) skip(ctx context.Context, in *bufio.Reader) error {
	for at := 1; at < p.column; at++ {
		if at%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r, _, err := in.ReadRune()
		if r == '\n' || errors.Is(err, io.EOF) {
			p.short = at > 1 || r == '\n'
			return nil
		}
		if err != nil {
			return err
		}
	}
	_, err := in.Peek(1)
	p.short = errors.Is(err, io.EOF) // of a last line without a line end
	return nil
}

// follows reports whether reading ended at the limit and not at the end of the file.
func follows(limited *io.LimitedReader, f io.Reader) bool {
	if limited.N > 0 {
		return false
	}
	n, _ := f.Read(make([]byte, 1))
	return n > 0
}

// add adds the next line, or the beginning of one that is too long for any page. It
// returns false if there is no room for it.
func (p *page) add(line []byte) bool {
	if p.lines+1 < p.first {
		p.lines++
		return true
	}
	number := ""
	if p.numbers {
		number = fmt.Sprintf("%d: ", p.lines+1)
	}
	text := tool.Mend(string(line))
	if len(p.text)+len(number)+len(text) > p.room {
		if len(p.text) > 0 {
			return false
		}
		text = wording.Edge(text, p.room-len(number))
		p.cut = max(p.column, 1) + utf8.RuneCountInString(text)
	}
	p.text = append(append(p.text, number...), text...)
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

// result returns the page, and how to read on.
func (p *page) result(size int64) tool.Result {
	switch {
	case p.short && p.beyond:
		return tool.Invalid("column %d of line %d lies beyond the first %d bytes of the file, and read_file looks no further (tools.read_bytes_max)",
			p.column, p.first, p.looks)
	case p.short:
		return tool.Invalid("line %d ends before column %d; begin at column 1", p.first, p.column)
	case len(p.text) == 0 && p.beyond:
		return tool.Invalid("line %d lies beyond the first %d bytes of the file, and read_file looks no further (tools.read_bytes_max)",
			p.first, p.looks)
	case len(p.text) == 0 && p.lines == 0: // at most a byte-order mark
		return tool.Result{Text: emptyFile}
	case len(p.text) == 0 && p.lines < p.first:
		return tool.Invalid("there is no line %d; the file has %s", p.first, wording.Count(p.lines, "line"))
	}
	text := string(p.text)
	if p.cut == 0 && !p.more && !p.beyond {
		return tool.Result{Text: text}
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text += fmt.Sprintf("[lines %d to %d of a file of %s", p.first, p.lines, wording.Count(int(size), "byte"))
	if p.cut > 0 {
		text += fmt.Sprintf("; line %d goes on: read it with offset %d and column %d", p.lines, p.lines, p.cut)
	}
	switch {
	case p.more && p.cut > 0:
		text += fmt.Sprintf("; the next line has offset %d", p.lines+1)
	case p.more:
		text += fmt.Sprintf("; read on with offset %d", p.lines+1)
	case p.beyond:
		text += fmt.Sprintf("; read_file looks at the first %d bytes only (tools.read_bytes_max)", p.looks)
	}
	return tool.Result{Text: text + "]"}
}
