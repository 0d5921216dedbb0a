//go:build linux

package week_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"shelly/cmd/shelly/internal/logging"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/runtime/clock"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/daemon"
	"shelly/runtime/datafolder"
	"shelly/runtime/inbox"
	"shelly/runtime/memory"
	"shelly/runtime/session"
	"shelly/runtime/store"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file"
)

// How much the daemon keeps here. It is so little that several periods of retention pass in a
// day.
const (
	keptFor   = 3 * time.Hour
	keptBytes = 1 << 20
	logBytes  = 256 << 10
)

// world is a daemon with its data folder and its workspace, and the people who use it.
type world struct {
	*testing.T
	rng             *rand.Rand
	data, workspace string

	log      *logging.File
	store    *store.Store
	memory   *memory.Memory
	sessions *session.Sessions
	files    *file.Tools
	daemon   *daemon.Daemon
	asked    int    // requests so far
	errors   int    // requests answered with an error
	last     uint64 // the last record when it was measured
}

// open starts the daemon as shelly run does, and stops it at the end of the test.
func (w *world) open() {
	w.log = logging.NewFile(config.Log{Level: "info", Format: "text", Keep: logBytes})
	log := slog.New(w.log.Handler())
	var err error
	w.store, err = store.Open(datafolder.Store(w.data), store.Options{Logger: log})
	w.must(err)
	w.must(w.log.Open(w.data))
	w.memory = memory.Begin(w.store, memory.Options{Embedder: vectors{}})
	w.sessions, err = session.Open(w.data, w.store, time.Now)
	w.must(err)
	read, err := inbox.Open(w.data)
	w.must(err)
	tools := w.tools()
	c := profile.Default()
	c.Init, c.Tools = fsm.InitOff, append(c.Tools, tools.Declarations()...)
	w.daemon, err = daemon.Open(daemon.Options{
		Config: c, Journal: w.store, Brain: &reader{}, Embedder: vectors{}, Memory: w.memory, Sessions: w.sessions, Tools: tools, Inbox: read,
		Log: log, Now: time.Now, Retention: engine.Retention{Age: fsm.Millis(keptFor.Milliseconds()), Bytes: keptBytes},
	})
	w.must(err)
	w.run(log)
}

// tools returns the file tools, which record their changes in the data folder.
func (w *world) tools() *tool.Runner {
	const most = 1 << 20
	var err error
	w.files, err = file.Open(file.Options{Workspace: w.workspace, ResultBytesMax: most, ReadBytesMax: most, Changes: filepath.Join(w.data, "changes")})
	w.must(err)
	added, err := w.files.Added()
	w.must(err)
	runner, err := tool.New(tool.Options{Workspace: w.workspace, ResultBytesMax: most, Added: added})
	w.must(err)
	return runner
}

// run runs the daemon and the upkeep of its memory until the end of the test.
func (w *world) run(log *slog.Logger) {
	ended := make(chan error, 2)
	go func() {
		_, err := w.daemon.Run(w.Context())
		ended <- err
	}()
	go func() {
		ended <- w.memory.Keep(w.Context(), memory.Upkeep{Quiet: w.daemon.Quiet, Pause: clock.Pause, Log: log})
	}()
	w.Cleanup(func() {
		<-ended
		<-ended
		w.memory.Close()
		w.must(errors.Join(w.files.Close(), w.store.Close()))
		w.log.Close()
	})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// hour plays one hour of the day: requests, from people who come back and from programs that do
// not, and an event of the machine. Every 24 hours there is a night.
func (w *world) hour(hour int) {
	began := time.Now()
	for n := range *perHour {
		time.Sleep(time.Until(began.Add(time.Duration(n) * time.Hour / time.Duration(*perHour))))
		w.ask()
	}
	w.must(w.daemon.Raise(w.Context(), fsm.EventRaised{Source: "disk", Event: "almost full", Subject: "/var", Detail: fmt.Sprint(w.rng.IntN(100), "%")}))
	if hour%24 == 3 {
		w.night()
	}
	time.Sleep(time.Until(began.Add(time.Hour)))
}

// After how many requests a person starts a new conversation or cancels a request, or a program
// asks in a session that is never used again.
const (
	newEvery    = 31
	cancelEvery = 29
	onceEvery   = 20
)

// ask sends a request and waits for the reply.
func (w *world) ask() {
	w.asked++
	text, err := request(w.rng, w.workspace)
	w.must(err)
	session := fmt.Sprint("chat:", w.rng.IntN(4))
	switch {
	case w.asked%newEvery == 0:
		text = "/new"
	case w.asked%onceEvery == 0:
		session = fmt.Sprint("once:", w.asked)
	}
	key := fsm.RequestKey{Channel: "http", ID: fmt.Sprint("q", w.asked)}
	_, err = w.daemon.Accept(w.Context(), comm.Request{Key: key, Session: session, Text: text})
	w.must(err)
	events, err := w.daemon.Watch(w.Context(), key)
	w.must(err)
	if w.asked%cancelEvery == 0 {
		_, err = w.daemon.Cancel(w.Context(), key)
		w.must(err)
	}
	for e := range events {
		if e.Type == comm.EventReply && e.IsError {
			w.errors++
		}
	}
}

// night makes the memory forget its old entries, as a person would; it keeps them by itself.
func (w *world) night() {
	list, _, err := w.memory.List(w.Context(), memory.Filter{}, 0, 1<<20)
	w.must(err)
	var old []string
	for _, e := range list {
		if e.At < fsm.Millis(time.Now().Add(-keptFor).UnixMilli()) {
			old = append(old, e.ID)
		}
	}
	_, err = w.memory.Forget(w.Context(), old...)
	w.must(err)
}
