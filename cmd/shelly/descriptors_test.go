package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/datafolder"
	"shelly/runtime/mock"
	"shelly/runtime/store"
)

// echoBrain runs one command for each question and reports the result.
type echoBrain struct{}

func (echoBrain) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	last := q.Messages[len(q.Messages)-1]
	switch {
	case q.Purpose != string(fsm.PurposeAnswer):
		return mock.Answer{Text: "Noted."}, nil
	case last.Role == fsm.RoleTool:
		return mock.Answer{Text: "The tool said: " + last.Text}, nil
	}
	return mock.Answer{Calls: []fsm.ToolCall{{Name: "exec", Args: `{"command":"echo here"}`}}}, nil
}

// A daemon that may have the fewest files open with which it starts answers every request, even while more clients than
// that are connected and silent, and stops (CFG-15, COM-19).
func TestCFG15StrangersTakeNoDescriptorFromARequest(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts the real binary")
	}
	bin := buildShelly(t)
	few := filepath.Join(t.TempDir(), "shelly")
	must(t, os.WriteFile(few, []byte("#!/bin/sh\nulimit -n 64 && exec "+bin+" \"$@\"\n"), 0o700))
	p := &process{
		t: t, bin: few, data: filepath.Join(t.TempDir(), "data"), dir: t.TempDir(),
		env:  []string{"OLLAMA_HOST=" + serveMock(t, echoBrain{})},
		args: []string{"--allow-exec", "--profile", "default", "--set", "init=off"},
	}
	for n := range 15 { // a start makes a table of the log, and a compaction has them all open
		s, err := store.Open(datafolder.Store(p.data), store.Options{})
		must(t, err)
		must(t, s.PutEntry(fsm.Entry{ID: fmt.Sprint("e", n), Text: "a thing"}))
		must(t, s.Close())
	}
	p.start()
	at, err := client.ReadEndpoint(p.data)
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		c, err := net.Dial("tcp", at.HTTP)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	const requests = 6
	ended := make(chan error, requests)
	for n := range requests {
		go func() {
			ask := client.AskRequest{Session: fmt.Sprint("s", n), Text: "run it"}
			reply, err := client.New(p.data, client.Options{}).Ask(ctx, ask, func(comm.Event) {})
			if err == nil && reply.Text != "The tool said: exit code: 0\nhere" {
				err = fmt.Errorf("reply %+v", reply)
			}
			ended <- err
		}()
	}
	for range requests {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if log := p.log.text(); strings.Contains(log, "too many open files") || t.Failed() {
		t.Errorf("the log:\n%s", log)
	}
}
