package client

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strconv"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/memory"
)

// Memory is the memory of a running daemon, over HTTP. Its methods are those of
// [memory.Memory] with the bounds of package comm; while the daemon reads its entries, those that need
// their index return engine.ErrBusy.
type Memory struct{ client *Client }

// Memory returns the daemon's memory. It sends no request yet.
func (c *Client) Memory() Memory { return Memory{c} }

// List returns at most limit of the wanted entries, the newest first, after skipping skip.
func (m Memory) List(ctx context.Context, f memory.Filter, skip, limit int) (comm.MemoryBody, error) {
	q := filterQuery(f)
	if skip > 0 { // which an older daemon does not know (COM-105)
		q.Set("skip", strconv.Itoa(skip))
	}
	q.Set("limit", strconv.Itoa(max(0, limit)))
	return get[comm.MemoryBody](ctx, m.client, "/v1/memory?"+q.Encode())
}

// Search returns the best entries for a text.
func (m Memory) Search(ctx context.Context, query memory.Query) (memory.Result, error) {
	q := filterQuery(query.Filter)
	q.Set("text", query.Text)
	q.Set("k", strconv.Itoa(max(0, query.TopK)))
	q.Set("mode", string(query.Mode))
	return get[memory.Result](ctx, m.client, "/v1/memory/search?"+q.Encode())
}

func filterQuery(f memory.Filter) url.Values {
	q := url.Values{}
	if f.OfSession {
		q.Set("session", f.Session)
	}
	if f.Kind != "" {
		q.Set("kind", string(f.Kind))
	}
	if f.Since > 0 {
		q.Set("since", decimal(uint64(f.Since)))
	}
	if f.Before > 0 {
		q.Set("before", decimal(uint64(f.Before)))
	}
	return q
}

// Get returns an entry, or false.
func (m Memory) Get(ctx context.Context, id string) (comm.EntryBody, bool, error) {
	body, err := get[comm.EntryBody](ctx, m.client, "/v1/memory/entries/"+segment(id))
	if errors.Is(err, ErrNotFound) {
		return body, false, nil
	}
	return body, err == nil, err
}

// Bring stores entries, each whole, and returns once all are durable.
func (m Memory) Bring(ctx context.Context, entries []fsm.Entry, how memory.Bringing) (memory.Brought, error) {
	return post[memory.Brought](ctx, m.client, "/v1/memory", map[string]any{"entries": entries, "replace": how.Replace, "dry_run": how.Dry})
}

// Forget deletes entries and returns how many of them there were.
func (m Memory) Forget(ctx context.Context, ids ...string) (int, error) {
	done, err := post[comm.ForgetBody](ctx, m.client, "/v1/memory/forget", map[string]any{"ids": ids})
	return done.Forgotten, err
}

// Export writes every entry to w. A connection that breaks is an error.
func (m Memory) Export(ctx context.Context, w io.Writer, vectors bool) error {
	path := "/v1/memory/export"
	if !vectors {
		path += "?vectors=0"
	}
	return m.client.copy(ctx, path, "memory", w)
}
