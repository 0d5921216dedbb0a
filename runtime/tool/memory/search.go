package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	entries "shelly/runtime/memory"
	"shelly/runtime/session"
	"shelly/runtime/tool"
)

// Bounds of memory_search.
const (
	foundMax      = 5       // lines, and entries
	lineBytesMax  = 1 << 10 // shown of one line or entry
	queryBytesMax = 1 << 10
)

// searchDecl declares memory_search (MEM-13). It is short: the whole declarations of the default
// tools only just fit (TOL-60).
func searchDecl() fsm.ToolDecl {
	return fsm.ToolDecl{
		Name:        SearchName,
		Description: "Search your memory of earlier conversations.",
		Parameters:  `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}`,
		Effects:     fsm.EffectsNone,
	}
}

// hit is a line of a file that matches a query.
type hit struct {
	file   string
	number int
	line   string
	met    int
}

// hits keeps the best hits: those that contain more of the query, and among equals the later
// ones, which in HISTORY.md are the newer ones.
type hits struct{ list []hit }

func (h *hits) add(one hit) {
	if one.met == 0 {
		return
	}
	h.list = append(h.list, one)
	if len(h.list) >= 4*foundMax {
		h.best()
	}
}

func (h *hits) best() []hit {
	slices.SortStableFunc(h.list, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.met, a.met), cmp.Compare(a.file, b.file), cmp.Compare(b.number, a.number))
	})
	h.list = h.list[:min(len(h.list), foundMax)]
	return h.list
}

// search is the tool memory_search.
func (t *tools) search(ctx context.Context, call fsm.RunTool, a tool.Arguments) tool.Result {
	query := strings.TrimSpace(a.Text("query", ""))
	switch {
	case query == "":
		return tool.Invalid("query is empty; give the words to look for")
	case len(query) > queryBytesMax:
		return tool.Invalid("query has %d bytes and the most is %d; give a few words", len(query), queryBytesMax)
	}
	found, err := t.entries(ctx, query, call.Session)
	if err != nil {
		return tool.Undone(fmt.Errorf("memory cannot be searched: %w", err))
	}
	lines, left, err := t.lines(ctx, query)
	if err != nil {
		return tool.Undone(fmt.Errorf("memory cannot be searched: %w", err))
	}
	if len(found) == 0 && len(lines) == 0 {
		return tool.Result{Text: "Nothing in memory is about this: " + query + ". Try other words, or fewer." + left}
	}
	return tool.Result{Text: t.shown(lines, found) + left}
}

// entries returns the entries that match a query, the best first. If the query's vector does not
// come in time, it searches by keyword.
func (t *tools) entries(ctx context.Context, query, of string) ([]entries.Found, error) {
	kept, err := t.Place.Entries(ctx)
	if err != nil {
		return nil, err
	}
	q := entries.Query{Text: query, TopK: foundMax, Filter: entries.Filter{OfSession: t.Own, Session: of}, Spare: t.Spare}
	hurried, cancel := context.WithTimeout(ctx, t.EmbedWithin)
	defer cancel()
	found, err := kept.Search(hurried, q)
	if err != nil && hurried.Err() != nil && ctx.Err() == nil {
		q.Mode = entries.Keyword
		found, err = kept.Search(ctx, q)
	}
	return found.Found, err
}

// lines returns the lines of the two files that match a query, the best first, and a note if
// there was no time to read HISTORY.md to its end.
func (t *tools) lines(ctx context.Context, query string) (list []hit, left string, err error) {
	files, err := t.Place.Files(ctx)
	if err != nil {
		return nil, "", err
	}
	need, best := entries.NewNeed(query), hits{}
	text, err := files.Memory()
	if err != nil {
		return nil, "", err
	}
	for i, line := range strings.Split(text, "\n") {
		best.add(hit{session.MemoryFile, i + 1, line, need.Meets(line)})
	}
	hurried, cancel := context.WithTimeout(ctx, t.ReadWithin)
	defer cancel()
	read := 0
	err = files.History(hurried, func(number int, line string) bool {
		read = number
		best.add(hit{session.HistoryFile, number, line, need.Meets(line)})
		return true
	})
	if err != nil && hurried.Err() != nil && ctx.Err() == nil {
		left, err = fmt.Sprintf("\n[%s takes long: only its first %d lines were searched]\n", session.HistoryFile, read), nil
	}
	return best.best(), left, err
}

// shown lists what was found, as far as it fits.
func (t *tools) shown(lines []hit, found []entries.Found) string {
	var texts []string
	for _, h := range lines {
		texts = append(texts, h.file+":"+strconv.Itoa(h.number)+": "+brief(h.line))
	}
	for _, f := range found {
		from := f.At.Date()
		if f.Session != "" {
			from += ", " + f.Session
		}
		texts = append(texts, "["+from+"] "+brief(f.Summary))
	}
	var b strings.Builder
	for i, text := range texts {
		if i > 0 && b.Len()+len(text) > t.room() {
			fmt.Fprintf(&b, "[%d more were found; be more exact]\n", len(texts)-i)
			break
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// brief returns the beginning of a text, on one line.
func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= lineBytesMax {
		return text
	}
	return wording.Edge(text, lineBytesMax) + "…"
}
