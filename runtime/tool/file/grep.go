package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/descriptor"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file/charset"
	"shelly/runtime/tool/pattern"
)

// Bounds of one search.
const (
	matchesMax   = 200      // lines that are shown as found
	contextMax   = 20       // lines before and after
	excerptBytes = 240      // of a line that is shown
	lineBytesMax = 64 << 10 // how long a line is looked at in one piece
	overlapBytes = 1 << 10  // of a piece that are looked at with the next one, too
	grepBytesMax = 512 << 20
	patternMax   = 1000
	leftOutRoom  = 480 // bytes for what was left out and how the pattern was read, besides the room for marks
)

// grepDecl declares grep, which changes nothing (TOL-29).
func grepDecl(everywhere bool) fsm.ToolDecl {
	return fsm.ToolDecl{
		Name:        "grep",
		Description: "Search in files for a regular expression (RE2)" + reach(everywhere) + ". Obeys .gitignore.",
		Parameters: `{"type":"object","properties":{` +
			fmt.Sprintf(`"pattern":{"type":"string","maxLength":%d},`, patternMax) +
			`"path":{"type":"string"},` +
			`"glob":{"type":"string","description":"Such as *.go"},` +
			`"ignore_case":{"type":"boolean"},` +
			fmt.Sprintf(`"context":{"type":"integer","minimum":0,"maximum":%d,"description":"Lines around each"}},`, contextMax) +
			`"required":["pattern"],"additionalProperties":false}`,
		Effects: fsm.EffectsNone,
		Source:  fsm.FromWorkspace,
	}
}

func (t *Tools) grep(ctx context.Context, _ fsm.RunTool, a tool.Arguments) tool.Result {
	where := strings.TrimSpace(a.Text("path", ""))
	names := a.Text("glob", "")
	if where != "" && names == "" && t.namesFiles(where) {
		where, names = "", where
	}
	if where == "" {
		where = "."
	} else {
		where = a.Text("path", "")
	}
	files, err := t.newFilter(names, where)
	if err != nil {
		return tool.Undone(err)
	}
	searching, cancel := t.searching(ctx)
	defer cancel()
	text := a.Text("pattern", "")
	readings, wrong := readingsOf(text, a.Is("ignore_case"))
	var first *search
	for i, r := range readings {
		if i > 0 && !first.fits[i-1] {
			continue
		}
		s := &search{t: t, pattern: r.expression, files: files, around: a.Number("context", 0), room: t.room() - leftOutRoom, note: r.note, breaks: pattern.HasLineEnd(text)}
		if i == 0 {
			first, s.others, s.fits = s, readings[1:], make([]bool, len(readings)-1)
		}
		err := s.in(searching, where)
		switch {
		case ctx.Err() != nil:
			return tool.Stopped()
		case err != nil:
			return tool.Undone(err)
		case s.matches > 0:
			return s.result()
		}
		if searching.Err() != nil { // there is no time for another
			break
		}
	}
	if wrong != nil {
		return tool.Undone(wrong)
	}
	return first.result()
}

// namesFiles reports whether a path that a call gives is a pattern for names.
func (t *Tools) namesFiles(path string) bool {
	if !strings.ContainsAny(path, "*?{") {
		return false
	}
	_, err := os.Lstat(t.absolute(path))
	return errors.Is(err, fs.ErrNotExist)
}

// in searches a file or a folder.
func (s *search) in(ctx context.Context, where string) error {
	f, err := s.t.open(ctx, where)
	if err != nil {
		return err
	}
	defer f.Close()
	s.where = path.Clean(where)
	s.walk = walk{t: s.t, ctx: ctx, depth: walkDepth, visit: func(e entry) bool {
		if !e.ignored && e.Type().IsRegular() && s.files.fits(e.path) {
			s.fitting++
			s.visit(e, path.Join(s.where, e.path))
		}
		s.files.miss(e)
		return !e.ignored
	}}
	if f.info.IsDir() {
		err = s.walk.from(f)
	} else {
		s.fitting++
		err = s.file(f, s.where)
	}
	if err != nil && s.walk.ctx.Err() == nil {
		return explain(where, err)
	}
	return nil
}

// search is one run of grep.
type search struct {
	t       *Tools
	walk    walk
	pattern *regexp.Regexp
	files   filter
	around  int // lines of context
	room    int
	where   string // the file or folder
	note    string // how the pattern was read, if not as it stands
	breaks  bool   // the pattern has a line end

	others []reading // of the pattern, for the first search: it notes
	fits   []bool    // which of them fit a line, because only those need another

	out     strings.Builder
	fitting int // files whose names fit
	matches int
	read    int64 // bytes looked at

	// Files that were not searched, or not whole, and why.
	secret, linked, closed, long int
}

// visit searches a file of the walk; one that cannot be read is skipped and counted.
func (s *search) visit(e entry, shown string) {
	if s.t.secretName(e.at) {
		s.secret++
		return
	}
	f, err := descriptor.Get(s.walk.ctx, e.at.open)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it has just been removed
		return
	case err != nil:
		s.closed++
		return
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil || !info.Mode().IsRegular():
	case s.t.linked(shown, info, "") != nil:
		s.linked++
	case s.file(f, shown) != nil:
		s.closed++
	}
}

// file searches an open file.
func (s *search) file(f io.Reader, shown string) error {
	sample, err := sampleOf(f)
	if err != nil || len(sample) == 0 {
		return err
	}
	if s.t.secretText(sample) {
		s.secret++
		return nil
	}
	written, ok := charset.Of(sample, len(sample) < sampleBytes)
	if !ok {
		return nil
	}
	limited := &io.LimitedReader{R: io.MultiReader(bytes.NewReader(sample), f), N: int64(s.t.options.ReadBytesMax)}
	in := bufio.NewReaderSize(written.Reader(limited, sample), lineBytesMax)
	found := matching{s: s, shown: shown}
	again := "" // the end of the last piece, if the line goes on
	for n := 1; ; {
		if s.walk.ctx.Err() != nil {
			s.walk.stop("it took too long")
			return nil
		}
		chunk, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return err
		}
		s.read += int64(len(chunk))
		text, goesOn := again+string(chunk), errors.Is(err, bufio.ErrBufferFull)
		if !goesOn {
			text = strings.TrimRight(text, "\r\n")
		}
		if len(chunk)+len(again) > 0 {
			found.line(n, text, min(len(again), len(text)), goesOn)
		}
		if again = ""; goesOn {
			again = text[len(wording.Edge(text, len(text)-overlapBytes)):]
		}
		switch {
		case s.read > grepBytesMax:
			s.walk.stop("there is too much to read")
			return nil
		case s.walk.ended:
			return nil
		case errors.Is(err, io.EOF):
			if follows(limited, f) {
				s.long++
			}
			return nil
		case err == nil:
			n++
		}
	}
}

// matching is the search in one file.
type matching struct {
	s      *search
	shown  string
	begun  bool     // the file's name is in the result
	before []string // the last lines that were not shown: as many as are context, and one that may go on
	last   int      // the number of the last line that was shown
	taken  int      // the number of the last line that was shown or kept in before
	after  int      // lines of context still to show
}

// line takes the next line of the file, or the next piece of a long one, of which the first bytes have
// been looked at before.
func (m *matching) line(n int, text string, again int, goesOn bool) {
	at := m.s.first(text, again, goesOn)
	if at == nil && m.s.matches == 0 {
		for i, r := range m.s.others {
			m.s.fits[i] = m.s.fits[i] || r.expression.MatchString(text)
		}
	}
	switch {
	case at != nil:
		m.found(n, text, at)
	case n == m.taken: // a further piece of it
	case m.after > 0:
		m.after--
		m.show(n, '-', wording.Edge(text, excerptBytes))
	case m.s.around > 0:
		if len(m.before) > m.s.around {
			m.before = m.before[1:]
		}
		m.before = append(m.before, text)
		m.taken = n
	}
}

// first returns where the first match in a piece of a line is, or nil. Neither end of a piece is one of
// the line: a match that ends in what was looked at before was found then, if it is one, and one that
// ends with the piece may go on, or be none, which shows with the next.
func (s *search) first(text string, again int, goesOn bool) []int {
	if again == 0 && !goesOn {
		return s.pattern.FindStringIndex(text)
	}
	for _, at := range s.pattern.FindAllStringIndex(text, again+2) {
		if at[1] >= again {
			if goesOn && at[1] == len(text) && at[0] >= len(text)-overlapBytes {
				return nil
			}
			return at
		}
	}
	return nil
}

func (m *matching) found(n int, text string, at []int) {
	if m.s.matches == matchesMax {
		m.s.walk.stop(fmt.Sprintf("these are %d already", matchesMax))
		return
	}
	m.s.matches++
	if n == m.taken && len(m.before) > 0 { // an earlier piece of the line
		m.before = m.before[:len(m.before)-1]
	}
	m.before = m.before[max(0, len(m.before)-m.s.around):]
	if !m.begun {
		m.begun = true
		m.s.put(wording.PathLine(m.shown) + "\n")
	} else if m.s.around > 0 && m.last < n-len(m.before)-1 {
		m.s.put("--\n")
	}
	for i, line := range m.before {
		m.show(n-len(m.before)+i, '-', wording.Edge(line, excerptBytes))
	}
	m.before, m.after = nil, m.s.around
	m.show(n, ':', around(text, at))
}

func (m *matching) show(n int, sign byte, text string) {
	m.last, m.taken = n, n
	m.s.put(fmt.Sprintf("%d%c %s\n", n, sign, tool.Mend(text)))
}

// put adds a line to the result, or ends the search.
func (s *search) put(line string) {
	if s.walk.ended {
		return
	}
	if s.out.Len()+len(line) > s.room {
		s.walk.stop("the result has no room for more")
		return
	}
	s.out.WriteString(line)
}

// around returns a line as it is shown: a long one is cut to the part around the match.
func around(text string, at []int) string {
	if len(text) <= excerptBytes {
		return text
	}
	from := max(0, min(at[0]-excerptBytes/4, len(text)-excerptBytes))
	part := strings.ToValidUTF8(text[from:min(from+excerptBytes, len(text))], "")
	if from > 0 {
		part = "…" + part
	}
	if from+excerptBytes < len(text) {
		part += "…"
	}
	return part
}

// result returns what was found.
func (s *search) result() tool.Result {
	text := s.out.String()
	switch {
	case s.matches == 0 && s.fitting == 0 && s.walk.why == "" && !s.files.all():
		text = "(no match: no file has such a name" + s.files.missed(s.where) + ")\n"
	case s.matches == 0 && s.breaks:
		text = "(no match: the pattern has a line end, and each line is looked at by itself)\n"
	case s.matches == 0:
		text = "(no match)\n"
	}
	text += s.note + s.walk.cut("not everything was searched")
	for _, left := range []struct {
		files int
		why   string
	}{
		{s.secret, "not searched, since they may hold secrets"},
		{s.linked, "not searched, since they have hard links"},
		{s.closed, "not searched, since they cannot be read"},
		{s.long, fmt.Sprintf("searched only in the first %d bytes (tools.read_bytes_max)", s.t.options.ReadBytesMax)},
	} {
		text = leftOut(text, left.files, left.why)
	}
	return tool.Result{Text: s.walk.unseen(text)}
}
