package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
)

// Journal is the journal of a running daemon, read over HTTP: what is durable at each
// call. It is an engine.Reader. Each method asks the daemon and keeps nothing in memory
// but what it returns.
type Journal struct {
	client *Client
	ctx    context.Context
}

var _ engine.Reader = (*Journal)(nil)

// Journal returns the daemon's journal, readable until ctx ends. It sends no request
// yet.
func (c *Client) Journal(ctx context.Context) *Journal { return &Journal{c, ctx} }

// Kept implements [engine.Reader].
func (j *Journal) Kept() (engine.Kept, error) {
	return get[engine.Kept](j.ctx, j.client, "/v1/journal/kept")
}

// Request implements [engine.Reader]. Body is not set.
func (j *Journal) Request(key fsm.RequestKey) (engine.Request, bool, error) {
	record, err := get[comm.Record](j.ctx, j.client, About{ID: key.ID, Channel: key.Channel, Client: key.Principal}.of(""))
	switch {
	case errors.Is(err, ErrNotFound):
		return engine.Request{}, false, nil
	case err != nil:
		return engine.Request{}, false, err
	}
	return requestOf(record), true, nil
}

// Requests implements [engine.Reader]. Body is not set.
func (j *Journal) Requests(before uint64, limit int) ([]engine.Request, error) {
	if limit < 1 {
		return nil, nil
	}
	q := url.Values{"before": {decimal(before)}, "limit": {strconv.Itoa(limit)}, "forgotten": {"true"}}
	body, err := j.client.requests(j.ctx, q)
	if refused := (*Error)(nil); errors.As(err, &refused) && refused.Code == comm.CodeBadRequest {
		q.Del("forgotten") // which an older daemon does not know (COM-105)
		body, err = j.client.requests(j.ctx, q)
	}
	if err != nil {
		return nil, err
	}
	var found []engine.Request
	for _, record := range body.Requests {
		found = append(found, requestOf(record))
	}
	return found, nil
}

// requestOf is the request of a record.
func requestOf(r comm.Record) engine.Request {
	request := engine.Request{
		Key:   fsm.RequestKey{Principal: cmp.Or(r.Client, comm.Principal), Channel: r.Channel, ID: r.ID},
		Index: r.Index, Handle: r.Handle, Session: r.Session, Text: r.Text, Accepted: r.Accepted,
		Done: r.Done, Replied: r.Replied, Reply: r.Reply, IsError: r.IsError, Outcome: r.Outcome, Forgotten: r.Forgotten,
	}
	if r.Chat != "" {
		request.Origin = fsm.Origin{Channel: channelOf(r), Chat: r.Chat}
	}
	return request
}

// channelOf returns the channel of the chat of a record, whose own channel is that of its key: a client's
// chats have another (COM-87). Where the request named a session, the record does not tell.
func channelOf(r comm.Record) string {
	if channel, ok := strings.CutSuffix(r.InSession, ":"+r.Chat); ok && r.Session == "" {
		return channel
	}
	if r.Client != "" && strings.HasPrefix(r.Chat, r.Client+"/") {
		return comm.ChannelClient
	}
	return r.Channel
}

// Snapshot implements [engine.Reader].
func (j *Journal) Snapshot(at uint64) (index uint64, s state.Snapshot, err error) {
	err = j.lines(min(at, math.MaxUint64-1)+1, 0, func(l engine.Line) error {
		if l.Snapshot != nil {
			index, s = l.Index, *l.Snapshot
		}
		return errEnough
	})
	return index, s, err
}

// Replay implements [engine.Reader].
func (j *Journal) Replay(after uint64, fn func(engine.Record) error) error {
	if after == math.MaxUint64 {
		return nil
	}
	return j.lines(after+1, math.MaxUint64, func(l engine.Line) error {
		if l.Snapshot != nil || l.Index <= after {
			return nil
		}
		return fn(l.Record)
	})
}

// errEnough ends a reading that has found what it needs.
var errEnough = errors.New("enough")

// lines calls fn for each line of the journal file that the daemon sends, until it
// returns an error.
func (j *Journal) lines(from, to uint64, fn func(engine.Line) error) error {
	q := url.Values{"from": {decimal(from)}, "to": {decimal(to)}}
	response, err := j.client.do(j.ctx, http.MethodGet, "/v1/journal?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var stopped error // fn's error, not the connection's
	err = engine.ReadLines(response.Body, func(l engine.Line) error {
		stopped = fn(l)
		return stopped
	})
	switch {
	case errors.Is(stopped, errEnough):
		return nil
	case stopped != nil, err == nil:
		return stopped
	default:
		return fmt.Errorf("read shelly's journal: %w: %w", ErrBroken, err)
	}
}

// Images returns the images that a request brought, as far as the journal still has them: they are in
// no other record.
func (c *Client) Images(ctx context.Context, r comm.Record) (images [][]byte, err error) {
	err = c.Journal(ctx).lines(r.Index, r.Index, func(l engine.Line) error {
		if in, ok := l.Record.Input.Fact.(fsm.Requested); ok && l.Snapshot == nil && l.Index == r.Index {
			images = in.Images
		}
		return nil
	})
	return images, err
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// Backup writes a backup of the running daemon's data to w (package backup). A
// connection that breaks is an error, even if all bytes may have arrived.
func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	return c.copy(ctx, "/v1/backup", "backup", w)
}

// copy writes a long answer to w. What it is made of may first be read whole, so that it can take
// minutes to begin (COM-109).
func (c *Client) copy(ctx context.Context, path, what string, w io.Writer) error {
	response, err := c.doBy(ctx, c.patient, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	from := &incoming{Reader: response.Body}
	if _, err := io.Copy(w, from); err != nil {
		if from.err != nil {
			err = fmt.Errorf("read shelly's %s: %w: %w", what, ErrBroken, err)
		}
		return err
	}
	return nil
}

// incoming remembers an error of the connection, to tell it from one of the writer.
type incoming struct {
	io.Reader
	err error
}

// Read implements [io.Reader].
func (r *incoming) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}
