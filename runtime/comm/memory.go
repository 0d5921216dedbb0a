package comm

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/memory"
)

// Memories is what the routes about memory need: a [memory.Memory]. Its methods are
// called from many goroutines at once.
type Memories interface {
	Wait(ctx context.Context) error
	Counts() memory.Counts
	List(ctx context.Context, f memory.Filter, skip, limit int) ([]memory.Listed, int, error)
	Search(ctx context.Context, q memory.Query) (memory.Result, error)
	Get(ctx context.Context, id string) (fsm.Entry, bool, error)
	Bring(ctx context.Context, entries []fsm.Entry, b memory.Bringing) (memory.Brought, error)
	Forget(ctx context.Context, ids ...string) (int, error)
	Export(ctx context.Context, w io.Writer, vectors bool) error
}

// Bounds of the memory's routes.
const (
	MemoryBytesMax = 32 << 20         // of one import, the JSON around it included
	BringMax       = 1000             // entries imported or forgotten at once
	ListMax        = 5000             // entries listed at once
	SearchBytesMax = 4096             // of the search text
	memoryWait     = 10 * time.Second // for the entries to be read; after that the answer is busy
	searchMax      = 15 * time.Second // for a text to be embedded; after that the search uses keywords only
)

// MemoryBody is the answer to GET /v1/memory, the newest entry first.
type MemoryBody struct {
	Entries []memory.Listed `json:"entries"`
	Total   int             `json:"total"`  // number of wanted entries, including those on other pages
	Memory  memory.Counts   `json:"memory"` // its status
}

// EntryBody is a whole entry, except the numbers of its vector.
type EntryBody struct {
	memory.Listed
	Text string `json:"text"`
}

// ForgetBody is the answer to POST /v1/memory/forget.
type ForgetBody struct {
	Forgotten int `json:"forgotten"` // how many of the entries there were
}

// ListMemory returns at most limit of the wanted entries, after skipping the first skip.
func ListMemory(ctx context.Context, m Memories, f memory.Filter, skip, limit int) (MemoryBody, error) {
	list, total, err := m.List(ctx, f, skip, min(limit, ListMax))
	if err != nil {
		return MemoryBody{}, err
	}
	return MemoryBody{Entries: append([]memory.Listed{}, list...), Total: total, Memory: m.Counts()}, nil
}

// NewEntryBody is an entry on the wire.
func NewEntryBody(e fsm.Entry) EntryBody {
	return EntryBody{memory.Listed{
		ID: e.ID, Kind: e.Kind, Session: e.Session, At: e.At, Summary: e.Summary, Model: e.Model, Dimensions: len(e.Vector) / 4,
	}, e.Text}
}

// memories waits until the memory has been read, but no longer than memoryWait (COM-17).
func (h *HTTP) memories(r *http.Request) (release func(), err error) {
	if release, err = h.stream(r.Context()); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), memoryWait)
	defer cancel()
	if err = h.o.Memory.Wait(ctx); err == nil {
		return release, nil
	}
	release()
	if errors.Is(err, context.DeadlineExceeded) && r.Context().Err() == nil {
		return nil, &Problem{CodeBusy, fmt.Sprintf("the memory is still being read, %s so far", wording.Counted(h.o.Memory.Counts().Entries, "entry", "entries")), "try again in a moment"}
	}
	return nil, err
}

// remember answers with the result of a use of the memory, which has been read.
func (h *HTTP) remember(w http.ResponseWriter, r *http.Request, what string, use func(context.Context) (any, error)) error {
	release, err := h.memories(r)
	if err != nil {
		return err
	}
	defer release()
	body, err := use(r.Context())
	return h.answer(w, what, body, err)
}

func (h *HTTP) getMemory(w http.ResponseWriter, r *http.Request) error {
	q, err := h.filtered(r)
	if err != nil {
		return err
	}
	skip, err := Number(q.values.Get("skip"), "skip", 0)
	limit, wrong := Limit(q.values, "limit", readDefault, ListMax)
	if err = cmp.Or(err, wrong); err != nil {
		return err
	}
	return h.remember(w, r, "list the memory", func(ctx context.Context) (any, error) {
		return ListMemory(ctx, h.o.Memory, q.filter, int(min(skip, 1<<31)), limit)
	})
}

func (h *HTTP) getSearch(w http.ResponseWriter, r *http.Request) error {
	q, err := h.filtered(r)
	if err != nil {
		return err
	}
	k, err := Limit(q.values, "k", readDefault, engine.ReadMax)
	if err != nil {
		return err
	}
	query := memory.Query{Text: q.values.Get("text"), TopK: k, Mode: memory.Mode(q.values.Get("mode")), Filter: q.filter}
	switch query.Mode {
	case "", memory.Hybrid, memory.Keyword, memory.Vector:
	default:
		return badRequest(fmt.Sprintf("query parameter mode is %q", query.Mode), "the modes are hybrid, keyword and vector")
	}
	if len(query.Text) > SearchBytesMax {
		return tooLarge("the text", SearchBytesMax)
	}
	if strings.TrimSpace(query.Text) == "" {
		return badRequest("query parameter text is missing or empty", "say what to look for, as in ?text=disk")
	}
	return h.remember(w, r, "search the memory", func(ctx context.Context) (any, error) {
		ctx, cancel := context.WithTimeout(ctx, searchMax)
		defer cancel()
		return h.o.Memory.Search(ctx, query)
	})
}

// getEntry answers with an entry, for which the memory need not have been read (MEM-7).
func (h *HTTP) getEntry(w http.ResponseWriter, r *http.Request) error {
	e, ok, err := h.o.Memory.Get(r.Context(), r.PathValue("id"))
	if err == nil && !ok {
		err = &Problem{CodeNotFound, "there is no such memory entry", "list them with GET /v1/memory"}
	}
	return h.answer(w, "read a memory entry", NewEntryBody(e), err)
}

func (h *HTTP) postMemory(w http.ResponseWriter, r *http.Request) error {
	var entries []fsm.Entry
	var how memory.Bringing
	err := h.readOf(w, r, MemoryBytesMax, truth("replace", &how.Replace), truth("dry_run", &how.Dry), list("entries", BringMax, h.entry(&entries)))
	if err != nil {
		return err
	}
	return h.remember(w, r, "bring memory entries", func(ctx context.Context) (any, error) { return h.o.Memory.Bring(ctx, entries, how) })
}

// entry reads an item of a list as an entry, and completes it.
func (h *HTTP) entry(to *[]fsm.Entry) func(*json.Decoder, string) error {
	return func(d *json.Decoder, name string) error {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return notJSON(d, err)
		}
		e, err := memory.ReadEntry(raw)
		if err != nil {
			return badRequest(name+": "+err.Error(), "send entries as an export has them")
		}
		*to = append(*to, memory.Completed(e, fsm.Millis(h.o.Now().UnixMilli())))
		return nil
	}
}

func (h *HTTP) postForget(w http.ResponseWriter, r *http.Request) error {
	var ids []string
	err := h.readOf(w, r, MemoryBytesMax, list("ids", BringMax, func(d *json.Decoder, name string) error {
		var id string
		err := text(name, &id).read(d, name)
		ids = append(ids, id)
		return cmp.Or(err, checkName(name, id, 1, memory.IDBytesMax))
	}))
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return badRequest(`field "ids" is missing or empty`, "name the entries to forget")
	}
	return h.remember(w, r, "forget memory entries", func(ctx context.Context) (any, error) {
		n, err := h.o.Memory.Forget(ctx, ids...)
		if err == nil {
			h.o.Log.Info("memory entries forgotten", "entries", n)
		}
		return ForgetBody{n}, err
	})
}

// getExport sends all entries, for which the memory need not have been read either.
func (h *HTTP) getExport(w http.ResponseWriter, r *http.Request) error {
	vectors := true
	if v := r.URL.Query(); v.Has("vectors") {
		var err error
		if vectors, err = flag(v, "vectors"); err != nil {
			return err
		}
	}
	release, err := h.stream(r.Context())
	if err != nil {
		return err
	}
	defer release()
	return h.send(w, r, journalStream, func(out *bufio.Writer) error { return h.o.Memory.Export(r.Context(), out, vectors) })
}

// filtered is a query and its filter.
type filtered struct {
	values url.Values
	filter memory.Filter
}

// filtered reads a query that may filter entries.
func (h *HTTP) filtered(r *http.Request) (q filtered, err error) {
	q.values = r.URL.Query()
	since, err := Number(q.values.Get("since"), "since", 0)
	before, wrong := Number(q.values.Get("before"), "before", 0)
	q.filter = memory.Filter{
		OfSession: q.values.Has("session"), Session: q.values.Get("session"), Kind: fsm.Kind(q.values.Get("kind")),
		Since: fsm.Millis(min(since, 1<<62)), Before: fsm.Millis(min(before, 1<<62)),
	}
	return q, cmp.Or(err, wrong)
}
