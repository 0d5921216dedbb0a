package ollama_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

// rarely returns a clock that advances a minute at each reading: no answer is ever recent.
func rarely() func() time.Time {
	at := time.Unix(0, 0)
	return func() time.Time {
		at = at.Add(time.Minute)
		return at
	}
}

// Within one inference only the first round asks what is loaded; later calls ask again, and so does
// one after a failure (BRN-18).
func TestBRN18AModelThatHasJustAnsweredIsLoaded(t *testing.T) {
	h, s := newHost(t)
	c := client(t, s, narrow)
	at := time.Unix(1000, 0)
	c.TellTime(func() time.Time { return at })
	mustChat(t, c)
	looks := func(after time.Duration) int {
		at, h.looks = at.Add(after), 0
		mustChat(t, c)
		return h.looks
	}
	if n := looks(ollama.AnsweredFor - 1); n != 0 {
		t.Errorf("%d looks while the answer is fresh; want none", n)
	}
	if n := looks(ollama.AnsweredFor); n != 1 {
		t.Errorf("%d looks later; want one", n)
	}
	h.chat = func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusServiceUnavailable) }
	if _, err := c.Chat(testContext(t), ask("hello"), nil, nil); err == nil {
		t.Fatal("a busy server answered")
	}
	h.chat = nil
	if n := looks(0); n != 1 {
		t.Errorf("%d looks after a failure; want one", n)
	}
	unloads := client(t, s, func(o *ollama.Options) { narrow(o); o.KeepAlive = time.Nanosecond })
	mustChat(t, unloads)
	h.looks = 0
	if mustChat(t, unloads); h.looks == 0 {
		t.Error("no look at a model that is not kept loaded")
	}
}

// A server lists a model under the name by which somebody else asked for it first. It is loaded all
// the same, and its cache holds what its last chat left there.
func TestBRN18AModelIsKnownByAnotherNameToo(t *testing.T) {
	h, s := newHost(t)
	h.listed = "alias:latest"
	c := client(t, s, narrow)
	c.TellTime(rarely())
	var stages [][]fsm.Stage
	for range 3 {
		var reached []fsm.Stage
		_, err := c.Chat(testContext(t), ask("hello"), nil, func(c ollama.Chunk) {
			if c.Stage != "" {
				reached = append(reached, c.Stage)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		stages = append(stages, reached)
	}
	same(t, []string{"load", "tags", "show", "chat", "chat", "chat"}, h.asked)
	if slices.Contains(stages[1], fsm.StageLoading) || slices.Contains(stages[2], fsm.StageLoading) {
		t.Errorf("a model that stays loaded has loaded again: %v", stages)
	}
	loaded, err := c.With("m", "alias").Loaded(testContext(t)) // both names are the same model
	if err != nil || len(loaded) != 2 || loaded[0].Name != "another" || !ollama.SameModel(loaded[1].Name, "m") {
		t.Errorf("got %+v, %v; want another, and m under its own name", loaded, err)
	}
}

// Of a server that tells no digests, nobody knows whether another name is the same model.
func TestBRN18AModelWithoutADigestIsKnownByItsNameAlone(t *testing.T) {
	h, s := newHost(t)
	h.digest, h.listed = "", "other:latest"
	c := client(t, s, narrow)
	c.TellTime(rarely())
	for range 2 {
		if _, err := c.Chat(testContext(t), ask("hello"), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if loads := slices.DeleteFunc(slices.Clone(h.asked), func(what string) bool { return what != "load" }); len(loads) != 2 {
		t.Errorf("asked for %v; want a load before each chat", h.asked)
	}
}

// host is a server with one model, m, that loads it and says what it can do. Its fields may be
// changed only between two calls.
type host struct {
	t          *testing.T
	digest     string
	listed     string // the name by which it is listed while it is loaded
	can        string // capabilities, quoted and separated by commas
	template   string
	parameters string // those that its author has set, as the server lists them
	window     int    // the longest window that it allocates
	loaded     int    // the window of the loaded model; 0: not loaded
	asked      []string
	looks      int      // how many times it was asked what is loaded
	chats      []string // the bodies of the chats
	load       func(w http.ResponseWriter, r *http.Request) bool
	chat       func(w http.ResponseWriter, body string)
}

func newHost(t *testing.T) (*host, *httptest.Server) {
	h := &host{t: t, digest: "d1", listed: "m:latest", can: `"completion","tools"`, window: 1 << 20}
	return h, bare(t, h.serve)
}

func (h *host) serve(w http.ResponseWriter, r *http.Request, body string) {
	if r.URL.Path == "/api/ps" {
		h.looks++
	}
	switch {
	case r.URL.Path == "/api/ps" && h.loaded == 0:
		_, _ = io.WriteString(w, `{"models":[]}`)
	case r.URL.Path == "/api/ps":
		_, _ = fmt.Fprintf(w, `{"models":[{"name":"another","digest":"d0"},{"name":%q,"digest":%q,"context_length":%d}]}`, h.listed, h.digest, h.loaded)
	case r.URL.Path == "/api/tags":
		h.asked = append(h.asked, "tags")
		_, _ = fmt.Fprintf(w, `{"models":[{"name":"another","digest":"d0"},{"name":%q,"digest":%[2]q},{"name":"m:latest","digest":%[2]q}]}`, h.listed, h.digest)
	case r.URL.Path == "/api/show":
		h.asked = append(h.asked, "show")
		_, _ = fmt.Fprintf(w, `{"template":%q,"parameters":%q,"capabilities":[%s]}`, h.template, h.parameters, h.can)
	case strings.Contains(body, `"messages":[],`):
		h.asked = append(h.asked, "load")
		h.loaded = min(4096, h.window)
		if h.load == nil || h.load(w, r) {
			_, _ = io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}`)
		}
	default:
		h.asked = append(h.asked, "chat")
		h.chats = append(h.chats, body)
		if h.chat != nil {
			h.chat(w, body)
			return
		}
		recorded(h.t, w, "chat-text")
	}
}

// says makes the host answer each chat with text.
func (h *host) says(text string) {
	h.chat = func(w http.ResponseWriter, _ string) {
		_, _ = fmt.Fprintf(w, `{"message":{"role":"assistant","content":%q},"done":false}`+"\n"+done+"\n", text)
	}
}

func narrow(o *ollama.Options) { o.NumCtx = 4096 }

func mustChat(t *testing.T, c *ollama.Client) {
	t.Helper()
	if _, err := c.Chat(testContext(t), ask("hello"), nil, nil); err != nil {
		t.Fatal(err)
	}
}

func TestBRN13WhatAModelCanIsAskedOnce(t *testing.T) {
	h, s := newHost(t)
	c := client(t, s, narrow)
	mustChat(t, c)
	mustChat(t, c.With("m:latest", ""))
	same(t, []string{"load", "show", "chat", "chat"}, h.asked)
}

func TestBRN13AnotherModelOfTheNameIsAskedAgain(t *testing.T) {
	h, s := newHost(t)
	c := client(t, s, narrow)
	c.TellTime(rarely())
	mustChat(t, c)
	h.digest, h.asked = "d2", nil
	mustChat(t, c)
	same(t, []string{"load", "show", "chat"}, h.asked)
}

func TestBRN13AServerThatWasGoneIsAskedAgain(t *testing.T) {
	h, s := newHost(t)
	c := client(t, s, narrow)
	mustChat(t, c)
	h.asked = nil
	gone := true
	h.chat = func(w http.ResponseWriter, _ string) {
		if gone {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		recorded(t, w, "chat-text")
	}
	_, err := c.Chat(testContext(t), ask("hello"), nil, nil)
	wantClass(t, err, fsm.BrainUnreachable)
	gone = false
	mustChat(t, c)
	same(t, []string{"chat", "load", "show", "chat"}, h.asked)
}

// A server that is not a present-day Ollama can still answer chats.
func TestBRN13AServerThatSaysNothingOfItselfIsAsked(t *testing.T) {
	s := bare(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.URL.Path != "/api/chat" {
			http.NotFound(w, r)
			return
		}
		recorded(t, w, "chat-text")
	})
	mustChat(t, client(t, s, nil))
}

func TestBRN17ASmallerWindowCountsAndIsWarnedOfOnce(t *testing.T) {
	h, s := newHost(t)
	h.window = 10 // the recorded answer counts 15 tokens
	var log bytes.Buffer
	c := client(t, s, func(o *ollama.Options) { o.NumCtx, o.Log = 4096, slog.New(slog.NewTextHandler(&log, nil)) })
	for range 2 {
		_, err := c.Chat(testContext(t), ask("hello"), nil, nil)
		wantClass(t, err, fsm.BrainContextTruncated, "window of 10 tokens")
	}
	if n := strings.Count(log.String(), "smaller window"); n != 1 || !strings.Contains(log.String(), "allocated=10") {
		t.Errorf("warned %d times: %s", n, &log)
	}
	same(t, []string{"load", "show", "chat", "chat"}, h.asked)
}

// Another program may have loaded the model with a window of its own.
func TestBRN17AModelWithAnotherWindowIsLoadedAgain(t *testing.T) {
	h, s := newHost(t)
	c := client(t, s, narrow)
	c.TellTime(rarely())
	mustChat(t, c)
	h.loaded, h.asked = 2048, nil
	mustChat(t, c)
	same(t, []string{"load", "chat"}, h.asked)
}

// A chat that is given up leaves its load to the next one: a server that saw its client go would throw
// away what it has loaded. A server lists a model that it still loads.
func TestBRN48ALoadGoesOnWithoutItsChat(t *testing.T) {
	h, s := newHost(t)
	c := client(t, s, narrow)
	c.TellTime(rarely())
	mustChat(t, c)
	h.loaded = 0 // its time is up
	began, loaded, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	h.load = func(_ http.ResponseWriter, r *http.Request) bool {
		close(began)
		select {
		case <-loaded:
			return true
		case <-r.Context().Done():
			close(left)
			return false
		}
	}
	ctx, giveUp := context.WithCancel(testContext(t))
	gone := make(chan error)
	go func() {
		_, err := c.Chat(ctx, ask("x"), nil, nil)
		gone <- err
	}()
	<-began
	giveUp()
	wantClass(t, <-gone, fsm.BrainCancelled, "given up")
	waits := false
	_, err := c.Chat(testContext(t), ask("x"), nil, func(ch ollama.Chunk) {
		if ch.Stage == fsm.StageLoading {
			waits = true
			close(loaded)
		}
	})
	if err != nil || !waits {
		t.Errorf("the next chat: %v, waits for the load: %t", err, waits)
	}
	select {
	case <-left:
		t.Error("the load was given up with its chat")
	default:
	}
	same(t, []string{"load", "show", "chat", "load", "chat"}, h.asked)
}

func TestBRN48CloseEndsALoadThatNobodyWaitsFor(t *testing.T) {
	h, s := newHost(t)
	began, left, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	defer close(over)
	h.load = func(_ http.ResponseWriter, r *http.Request) bool {
		close(began)
		select {
		case <-r.Context().Done():
			close(left)
		case <-over:
		}
		return false
	}
	c := client(t, s, narrow)
	ctx, giveUp := context.WithCancel(testContext(t))
	go func() {
		<-began
		giveUp()
	}()
	_, err := c.Chat(ctx, ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainCancelled, "given up")
	c.Close()
	select {
	case <-left:
	case <-testContext(t).Done():
		t.Error("the load goes on after Close")
	}
}

func TestBRN18ALoadThatTakesTooLongIsTyped(t *testing.T) {
	h, s := newHost(t)
	h.load = func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return false
	}
	c := client(t, s, func(o *ollama.Options) { o.Timeouts.Load = soon })
	_, err := c.Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainLoading, "timeouts.load", `"m"`)
}

func TestBRN18ALoadIsReported(t *testing.T) {
	h, s := newHost(t)
	loaded := make(chan struct{})
	h.load = func(http.ResponseWriter, *http.Request) bool {
		<-loaded
		return true
	}
	var log bytes.Buffer
	c := client(t, s, func(o *ollama.Options) { o.NumCtx, o.Log = 4096, slog.New(slog.NewTextHandler(&log, nil)) })
	tick := make(chan time.Time, 2)
	tick <- time.Time{}
	tick <- time.Time{}
	c.TickBy(tick)
	var notes []string
	_, err := c.Chat(testContext(t), ask("x"), nil, func(ch ollama.Chunk) {
		if ch.Note == "" {
			return
		}
		if notes = append(notes, ch.Note); len(notes) == 2 {
			close(loaded)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, []string{"loading m for 5 s", "loading m for 10 s"}, notes)
	if n := strings.Count(log.String(), "the model loads"); n != 2 {
		t.Errorf("the log tells of it %d times:\n%s", n, &log)
	}
}

// What the server has cached of a prompt is not known where the model was loaded before, such as by
// an earlier process with another data folder (BRN-18).
func TestBRN18WhoFindsTheModelLoadedMeasuresNothing(t *testing.T) {
	for _, preloads := range []bool{false, true} {
		there := true
		s := bare(t, func(w http.ResponseWriter, r *http.Request, body string) {
			switch {
			case r.URL.Path == "/api/ps" && there:
				_, _ = io.WriteString(w, `{"models":[{"name":"m:latest","context_length":4096}]}`)
			case r.URL.Path != "/api/chat":
				_, _ = io.WriteString(w, `{}`)
			case strings.Contains(body, `"messages":[],`):
				there = true
				_, _ = io.WriteString(w, `{"done":true,"done_reason":"load"}`)
			default:
				_, _ = io.WriteString(w, `{"message":{"content":"x"},"done":true,"done_reason":"stop","prompt_eval_count":1300,"prompt_eval_duration":350000000}`)
			}
		})
		reads := func(c *ollama.Client) fsm.Millis {
			answer, err := c.Chat(testContext(t), ask("x"), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			return answer.Tokens.Reading
		}
		begin := func() *ollama.Client {
			c := client(t, s, func(o *ollama.Options) { o.NumCtx = 4096 })
			if preloads {
				if err := c.Preload(testContext(t)); err != nil {
					t.Fatal(err)
				}
			}
			return c
		}
		c := begin()
		if first, next := reads(c), reads(c); first != 0 || next != 350 {
			t.Errorf("preloaded %t: reads in %d and then %d ms", preloads, first, next)
		}
		there = false
		if first := reads(begin()); first != 350 {
			t.Errorf("preloaded %t: reads what it has loaded itself in %d ms", preloads, first)
		}
	}
}

// A model that was loaded at the start holds nothing of what an earlier process asked (BRN-19).
func TestBRN19TheFirstCallAfterALoadAtTheStartFindsNothingCached(t *testing.T) {
	for _, there := range []bool{false, true} {
		loaded := there
		s := bare(t, func(w http.ResponseWriter, r *http.Request, body string) {
			switch {
			case r.URL.Path == "/api/ps" && loaded:
				_, _ = io.WriteString(w, `{"models":[{"name":"m:latest","context_length":4096}]}`)
			case r.URL.Path != "/api/chat":
				_, _ = io.WriteString(w, `{}`)
			case strings.Contains(body, `"messages":[],`):
				loaded = true
				_, _ = io.WriteString(w, `{"done":true,"done_reason":"load"}`)
			default:
				_, _ = io.WriteString(w, `{"message":{"content":"x"},"done":true,"done_reason":"stop"}`)
			}
		})
		c := client(t, s, func(o *ollama.Options) { o.NumCtx = 4096 })
		if err := c.Preload(testContext(t)); err != nil {
			t.Fatal(err)
		}
		for i, loads := range []bool{!there, false} {
			var stages []fsm.Stage
			_, err := c.Chat(testContext(t), ask("x"), nil, func(ch ollama.Chunk) { stages = append(stages, ch.Stage) })
			if got := slices.Contains(stages, fsm.StageLoading); err != nil || got != loads {
				t.Errorf("loaded before %t, call %d: %v, %v; want loading %t", there, i, stages, err, loads)
			}
		}
	}
}

// A call that comes during the load at the start waits for it itself, and what it has read is in the
// cache afterwards (BRN-19).
func TestBRN19ACallDuringTheLoadAtTheStartIsTheFirst(t *testing.T) {
	var loads atomic.Int32
	began, chatted := make(chan struct{}), make(chan struct{})
	s := bare(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.URL.Path == "/api/ps" && loads.Load() > 1:
			_, _ = io.WriteString(w, `{"models":[{"name":"m:latest","context_length":4096}]}`)
		case r.URL.Path != "/api/chat":
			_, _ = io.WriteString(w, `{}`)
		case strings.Contains(body, `"messages":[],`):
			if loads.Add(1) == 1 { // that at the start
				close(began)
				<-chatted
			}
			_, _ = io.WriteString(w, `{"done":true,"done_reason":"load"}`)
		default:
			_, _ = io.WriteString(w, `{"message":{"content":"x"},"done":true,"done_reason":"stop"}`)
		}
	})
	c := client(t, s, func(o *ollama.Options) { o.NumCtx = 4096 })
	ctx, preloaded := testContext(t), make(chan error, 1)
	go func() { preloaded <- c.Preload(ctx) }()
	<-began
	reports := func() bool {
		loading := false
		_, err := c.Chat(ctx, ask("x"), nil, func(ch ollama.Chunk) { loading = loading || ch.Stage == fsm.StageLoading })
		if err != nil {
			t.Error(err)
		}
		return loading
	}
	during := reports()
	close(chatted)
	if err := <-preloaded; err != nil || !during {
		t.Errorf("the load at the start: %v; the call during it reports loading: %t", err, during)
	}
	if reports() {
		t.Error("the call after it reports loading; what the first has read is in the cache")
	}
}

// Of two chats that wait for one load the second finds in the cache what both begin with, so how
// long it took to read says nothing about its prompt (BRN-18).
func TestBRN18WhoSharesALoadMeasuresNothing(t *testing.T) {
	var loaded atomic.Bool
	var cached atomic.Value
	cached.Store("")
	both := make(chan struct{})
	s := bare(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.URL.Path == "/api/ps" && loaded.Load():
			_, _ = io.WriteString(w, `{"models":[{"name":"m:latest","context_length":4096}]}`)
		case r.URL.Path != "/api/chat":
			_, _ = io.WriteString(w, `{}`)
		case strings.Contains(body, `"messages":[],`):
			<-both
			loaded.Store(true)
			_, _ = io.WriteString(w, `{"done":true,"done_reason":"load"}`)
		default:
			_, _ = io.WriteString(w, `{"message":{"content":"x"},"done":true,"done_reason":"stop","prompt_eval_count":1300,"prompt_eval_duration":350000000`+cached.Load().(string)+`}`)
		}
	})
	c := client(t, s, func(o *ollama.Options) { o.NumCtx, o.KeepAlive = 4096, time.Nanosecond })
	reads, waits := make(chan fsm.Millis, 2), make(chan struct{}, 2)
	chat := func() {
		answer, err := c.Chat(testContext(t), ask("x"), nil, func(ch ollama.Chunk) {
			if ch.Stage == fsm.StageLoading {
				waits <- struct{}{}
			}
		})
		if err != nil {
			t.Error(err)
		}
		reads <- answer.Tokens.Reading
	}
	together := func() (one, two fsm.Millis) {
		loaded.Store(false)
		both = make(chan struct{})
		go chat()
		go chat()
		<-waits
		<-waits
		close(both)
		return <-reads, <-reads
	}
	alone := func() fsm.Millis {
		chat()
		for len(waits) > 0 {
			<-waits
		}
		return <-reads
	}
	if one, two := together(); one != 0 || two != 0 {
		t.Errorf("they took %d and %d ms to read", one, two)
	}
	if alone() != 350 {
		t.Error("nor does one measure that shares nothing")
	}
	loaded.Store(false)
	if alone() != 350 {
		t.Error("nor does one measure that loads alone")
	}
	cached.Store(`,"prompt_eval_cached_count":1200`)
	if one, two := together(); one != 350 || two != 350 {
		t.Errorf("they took %d and %d ms to read what the server counted (BRN-47)", one, two)
	}
}

// A failure to load is a failure of the chat.
func TestBRN18AModelThatCannotBeLoadedIsTyped(t *testing.T) {
	for body, class := range map[string]fsm.BrainClass{
		`{"error":"model 'm' not found"}`:                                         fsm.BrainMissingModel,
		`{"error":"model requires more system memory (9 GiB) than is available"}`: fsm.BrainError,
	} {
		h, s := newHost(t)
		h.load = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(map[fsm.BrainClass]int{fsm.BrainMissingModel: 404, fsm.BrainError: 500}[class])
			_, _ = io.WriteString(w, body)
			return false
		}
		_, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
		wantClass(t, err, class)
	}
}
