package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm/wording"
	"shelly/runtime/mcp/wire"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
	"shelly/runtime/tool/program"
)

const (
	lineBytesMax   = 16 << 20 // of one message: a picture of a long page has several MiB
	lineBytesKept  = 1 << 20  // of the room for one
	floodBytes     = 64 << 20 // written between two uses
	complaintBytes = 2 << 10  // of standard error that are kept
)

// running is a server that is a program (TOL-92).
type running struct {
	in     *os.File // the program's input
	out    *io.PipeReader
	filter *filter
	errs   *tail
	cancel context.CancelFunc
	done   chan struct{}
	grace  time.Duration
	rung   sandbox.Rung
}

// run starts a program. When it ends, end is called.
func (s *server) run(ctx context.Context, end context.CancelCauseFunc) (*running, error) {
	args, err := program.Find(s.config.Command, s.options.Workspace)
	if err != nil {
		return nil, fmt.Errorf("tools.mcp.%s.command: %w", s.config.Name, err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	out, to := io.Pipe()
	r := &running{
		in: write, out: out, errs: &tail{}, cancel: cancel, done: make(chan struct{}), grace: s.options.pace.grace, rung: s.options.Sandbox.Rung(),
		filter: &filter{to: to, flood: func(err error) { end(err) }},
	}
	go func() {
		defer close(r.done)
		ended, err := s.options.Sandbox.Run(ctx, sandbox.Spec{
			Args: args, In: read, Out: r.filter, Errs: r.errs, Network: s.config.Network,
			Env: append(program.Env(s.options.Workspace), s.config.Env...),
		})
		_ = read.Close()
		if left := tool.Remains(ended); left != "" && ctx.Err() != nil { // nobody is told how it ended
			s.options.Log.Warn("an MCP server has left something", "server", s.config.Name, "what", wording.OneLine(strings.TrimSpace(left)))
		}
		end(fmt.Errorf("%w%s", ending(ended, err), said(r.complaint()))) // before a call fails, which tells the cause
		_ = to.CloseWithError(io.EOF)
	}()
	return r, nil
}

// ending words how a program ended, and what it has left.
func ending(e sandbox.End, err error) error {
	how := ""
	switch {
	case err != nil:
		return fmt.Errorf("it was not started: %w", err)
	case e.Exited:
		how = fmt.Sprintf(" with exit code %d", e.Code)
	case e.DiskFull:
		how = ", because within a minute the disk had filled by more than is allowed (tools.exec.disk), whoever has written there"
	case e.Signal != "":
		how = " by signal " + e.Signal
	}
	return fmt.Errorf("%w%s%s", errEnded, how, wording.OneLine(tool.Remains(e)))
}

func (r *running) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: r.out, Writer: wire.Writer(r.in, r.filter.answered), MaxLineLength: lineBytesMax}
}

func (r *running) contained() string { return string(r.rung) }
func (r *running) used()             { r.filter.used() }
func (r *running) complaint() string { return r.errs.text() }

// close closes the program's input, which should make it end, and ends it if it does not.
func (r *running) close() {
	_ = r.in.Close()
	_ = r.out.Close()
	patience := time.NewTimer(r.grace)
	defer patience.Stop()
	select {
	case <-r.done:
	case <-patience.C:
	}
	r.cancel()
	<-r.done
}

// filter passes on a program's lines that are messages, and drops others, which
// programs print by mistake (TOL-92).
type filter struct {
	to    *io.PipeWriter
	flood func(error)

	mu    sync.Mutex
	line  []byte
	since int64 // bytes since the last use
	asked int   // requests that wait for an answer, of those since then
	ended bool
}

// Write always takes all of p: a program whose output is not read would not end.
func (f *filter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		f.line, p = append(f.line, line...), rest
		if !f.counts(len(line) + 1) {
			f.line = nil
			return n, nil
		}
		if whole {
			f.pass()
		}
	}
	return n, nil
}

// counts reports whether the program is still listened to.
func (f *filter) counts(n int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.since += int64(n)
	switch {
	case f.ended:
	case len(f.line) > lineBytesMax:
		f.ended = true
		f.flood(fmt.Errorf("it has written a line of more than %d bytes", lineBytesMax))
	case f.since > floodBytes:
		f.ended = true
		f.flood(errors.New("it writes without end"))
	}
	return !f.ended
}

// asks counts requests of the program, and reports whether it is still listened to.
func (f *filter) asks(requests int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked += requests; f.asked > wire.RequestsMax && !f.ended {
		f.ended = true
		f.flood(wire.ErrRequests)
	}
	return !f.ended
}

// answered notes that the program has the answer to a request.
func (f *filter) answered() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = max(0, f.asked-1)
}

func (f *filter) used() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.since, f.asked = 0, 0
}

// pass passes on the messages in the line.
func (f *filter) pass() {
	line := bytes.TrimSpace(f.line)
	if f.line = f.line[:0]; cap(f.line) > lineBytesKept {
		f.line = nil
	}
	messages, requests := wire.Messages(line)
	if !f.asks(requests) {
		return
	}
	for _, m := range messages {
		_, _ = f.to.Write(append(bytes.Clone(m), '\n')) // it fails only if nobody reads any more
	}
}

// tail keeps the end of a program's standard error.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-complaintBytes):]...)
	t.kept = t.kept[max(0, len(t.kept)-complaintBytes):]
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
