package event_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
	"shelly/runtime/event"
	"shelly/runtime/event/settle"
)

// fake is a source that shows what a test has it show.
type fake struct {
	sink chan event.Sink

	mu  sync.Mutex
	err error
}

// fails says what the source fails with from now on.
func (f *fake) fails(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fake) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func newFake() *fake { return &fake{sink: make(chan event.Sink, 1)} }

// Watch implements [event.Source].
func (f *fake) Watch(ctx context.Context, to event.Sink) error {
	if err := f.failure(); err != nil {
		return err
	}
	f.sink <- to
	<-ctx.Done()
	return nil
}

// watches is a source by its function.
type watches func(to event.Sink) error

// Watch implements [event.Source].
func (f watches) Watch(_ context.Context, to event.Sink) error { return f(to) }

// world is an engine whose daemon is a list. It lives in a bubble of virtual time.
type world struct {
	*event.Engine
	t    *testing.T
	stop context.CancelFunc
	log  *bytes.Buffer // to be read once it has stopped

	mu     sync.Mutex
	raised []fsm.EventRaised
	refuse error
	during func() // not nil: called before an event is durable
}

// refuses says what the daemon refuses events with from now on.
func (w *world) refuses(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuse = err
}

// raise implements [event.Options].Raise.
func (w *world) raise(_ context.Context, e fsm.EventRaised) error {
	if w.during != nil {
		w.during()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refuse == nil {
		w.raised = append(w.raised, e)
	}
	return w.refuse
}

func begin(t *testing.T, data string, specs ...event.Spec) *world {
	t.Helper()
	w := &world{t: t, log: new(bytes.Buffer)}
	var kept *event.Kept
	if data != "" {
		var err error
		if kept, err = event.OpenKept(data); err != nil {
			t.Fatal(err)
		}
	}
	w.Engine = event.New(event.Options{
		Raise: w.raise, Kept: kept, Log: slog.New(slog.NewTextHandler(w.log, nil)), Now: time.Now,
	})
	w.Use(specs)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := w.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	w.stop = func() {
		cancel()
		<-done
	}
	synctest.Wait()
	return w
}

// hears returns what was raised since it was asked last, a line each.
func (w *world) hears() string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for _, e := range w.raised {
		lines = append(lines, strings.Join([]string{e.Source, e.Event, e.Subject, e.Detail}, " | "))
	}
	w.raised = nil
	return strings.Join(lines, "\n")
}

func (w *world) want(what string) {
	w.t.Helper()
	if got := w.hears(); got != what {
		w.t.Errorf("raised is\n%s\nwant\n%s", got, what)
	}
}

func hour(n int) settle.Rate { return settle.Rate{Max: n, Window: 3600 * fsm.Second} }

func inbox(f *fake) event.Spec {
	return event.Spec{Name: "inbox", Kind: "files", Of: "/in", Folder: "/in", Source: f, Settle: 2 * fsm.Second, Longest: 30 * fsm.Second, Rate: hour(5)}
}

func disk(f *fake) event.Spec {
	return event.Spec{
		Name: "root", Kind: "disk", Of: "/ below 5%", Source: f, Hold: 60 * fsm.Second, Rate: hour(5),
		Level: settle.Level{Below: true, Enter: 500, Clear: 800}, Crossed: "low", Clear: "enough",
	}
}

func TestEVT1WhatHasSettledIsRaised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		spec := inbox(f)
		spec.Do, spec.To = "Read it.", fsm.Origin{Channel: "cli", Chat: "direct"}
		w := begin(t, "", spec)
		defer w.stop()
		sink := <-f.sink
		sink.File("/in/a.txt", settle.Created)
		time.Sleep(time.Second)
		sink.File("/in/a.txt", settle.Written)
		time.Sleep(1999 * time.Millisecond)
		w.want("")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		w.mu.Lock()
		if len(w.raised) != 1 || w.raised[0].Do != spec.Do || w.raised[0].To != spec.To {
			t.Errorf("raised is %+v", w.raised)
		}
		w.mu.Unlock()
		w.want("inbox | created | /in/a.txt | The file /in/a.txt was created.")
	})
}

func TestEVT6EventsSayWhatHappened(t *testing.T) {
	for _, c := range []struct {
		name string
		show func(event.Sink)
		want string
	}{
		{"written", func(s event.Sink) { s.File("/in/a", settle.Written) }, "inbox | written | /in/a | The file /in/a was written."},
		{"several", func(s event.Sink) {
			s.File("/in/b", settle.Removed)
			s.File("/in/c/a", settle.Created)
		}, "inbox | changed | /in | 2 files changed below /in: 1 created, 1 removed. They are: b, c/a."},
		{"folder", func(s event.Sink) { s.File("/in/a", settle.Went) }, "inbox | removed | /in/a | The folder /in/a was removed, with all in it."},
		{"folder and file", func(s event.Sink) {
			s.File("/in/a", settle.Went)
			s.File("/in/b", settle.Removed)
		}, "inbox | changed | /in | 2 files changed below /in: 2 removed. They are: a/, b."},
		{"a name that is not text", func(s event.Sink) { s.File("/in/a\xff", settle.Written) }, `inbox | written | /in/a\xff | The file /in/a\xff was written.`},
		{"names of other characters", func(s event.Sink) {
			s.File("/in/a\xff", settle.Created)
			s.File("/in/b.\nAll is well", settle.Created)
			s.File("/in/日本", settle.Created)
		}, `inbox | changed | /in | 3 files changed below /in: 3 created. They are: a\xff, "b.\nAll is well", 日本.`},
		{"many", func(s event.Sink) {
			for i := range 2000 {
				s.File(fmt.Sprintf("/in/%04d", i), settle.Created)
			}
		}, "inbox | changed | /in | More than 512 files changed below /in: 512 created. Among them: 0000, 0001, 0002, 0003, 0004, 0005, 0006, 0007, 0008, 0009, 0010, 0011, 0012, 0013, 0014, 0015, 0016, 0017, 0018, 0019. There were 1,488 further changes, of other files: 1,488 created."},
		{"lost", func(s event.Sink) { s.Lost() }, "inbox | changed | /in | More has changed below /in than could be followed, so look at the folder itself."},
		{"one and lost", func(s event.Sink) {
			s.File("/in/a", settle.Written)
			s.Lost()
		}, "inbox | changed | /in | 1 file changed below /in: 1 written. They are: a. More has changed below /in than could be followed, so look at the folder itself."},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				w := begin(t, "", inbox(f))
				defer w.stop()
				c.show(<-f.sink)
				time.Sleep(5 * time.Second)
				w.want(c.want)
			})
		})
	}
}

func TestEVT2ALevelIsRaisedOnceItHoldsAndOnceItIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		w := begin(t, "", disk(f))
		defer w.stop()
		sink := <-f.sink
		see := func(value int64) {
			sink.Level("/", value, fmt.Sprint(value, " is little."), fmt.Sprint(value, " is enough."))
			time.Sleep(31 * time.Second)
		}
		for _, v := range []int64{900, 400, 600, 450} {
			see(v)
		}
		w.want("root | low | / | 600 is little.")
		for _, v := range []int64{700, 900, 790, 800, 900} {
			see(v)
		}
		w.want("root | enough | / | 790 is enough.")
	})
}

func TestEVT4WhatTheRateHoldsBackIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		spec := disk(f)
		spec.Hold, spec.Rate = 0, hour(1)
		w := begin(t, "", spec)
		defer w.stop()
		sink := <-f.sink
		for range 3 {
			sink.Level("/", 100, "little", "enough")
			synctest.Wait()
			sink.Level("/", 900, "little", "enough")
			synctest.Wait()
		}
		sink.Level("/", 100, "little", "enough")
		synctest.Wait()
		sink.Level("/", 900, "little.", "enough.")
		w.want("root | low | / | little")
		time.Sleep(time.Hour)
		w.want("root | enough | / | enough. Since the last event it has changed 6 more times, which no event has reported.")
	})
}

func TestEVT1WhatIsRefusedIsRaisedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		w := begin(t, "", inbox(f))
		defer w.stop()
		sink := <-f.sink
		w.refuses(errors.New("17 bytes are left"))
		sink.File("/in/a", settle.Created)
		time.Sleep(10 * time.Second)
		w.refuses(errors.New("4 bytes are left"))
		sink.File("/in/b", settle.Created)
		time.Sleep(10 * time.Second)
		if s := w.States(); !s[0].Waits || s[0].Raised != 0 {
			t.Errorf("it is %+v", s[0])
		}
		w.refuses(nil)
		time.Sleep(2 * time.Minute)
		w.want("inbox | changed | /in | 2 files changed below /in: 2 created. They are: a, b.")
		if s := w.States(); s[0].Waits || s[0].Raised != 1 || len(s[0].Last) != 1 {
			t.Errorf("it is %+v", s[0])
		}
		w.stop()
		if got := strings.Count(w.log.String(), "not accepted"); got != 1 {
			t.Errorf("the refusals of an event are logged %d times; want once:\n%s", got, w.log)
		}
	})
}

// The next process reports what was not reported before, and nothing else (EVT-8).
func TestEVT8WhatWasToldIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		begun := time.Now().UnixMilli()
		d, i := newFake(), newFake()
		w := begin(t, data, disk(d), inbox(i))
		low := <-d.sink
		if told := (<-i.sink).Told(); told != begun {
			t.Errorf("a new source has reported up to %d, want %d", told, begun)
		}
		low.Level("/", 100, "little", "enough")
		time.Sleep(2 * time.Minute)
		w.want("root | low | / | little")
		w.stop()

		d, i = newFake(), newFake()
		w = begin(t, data, disk(d), inbox(i))
		low, files := <-d.sink, <-i.sink
		if told := files.Told(); told != begun {
			t.Errorf("files are told up to %d, want %d", told, begun)
		}
		low.Level("/", 100, "little", "enough")
		time.Sleep(2 * time.Minute)
		w.want("")
		files.File("/in/a", settle.Written)
		seen := time.Now().UnixMilli()
		time.Sleep(10 * time.Second)
		low.Level("/", 900, "little", "enough")
		time.Sleep(2 * time.Minute)
		w.want("inbox | written | /in/a | The file /in/a was written.\nroot | enough | / | enough")
		w.stop()

		i = newFake()
		w = begin(t, data, inbox(i))
		defer w.stop()
		if told := (<-i.sink).Told(); told != seen {
			t.Errorf("files are told up to %d, want %d", told, seen)
		}
	})
}

// A file that has only got other permissions or an owner is not told at the next start, neither
// before its event is raised nor long after.
func TestEVT8WhatWasOnlyTouchedIsNotToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		touched := func(after time.Duration, change bool, want string) {
			t.Helper()
			f := newFake()
			w := begin(t, data, inbox(f))
			sink := <-f.sink
			time.Sleep(time.Minute)
			if change {
				sink.File("/in/a", settle.Created)
			}
			time.Sleep(after)
			at := time.Now().UnixMilli()
			sink.Touched(at)
			sink.Touched(at + 1000) // which is to come
			time.Sleep(time.Minute)
			w.want(want)
			w.stop()
			f = newFake()
			w = begin(t, data, inbox(f))
			defer w.stop()
			if told := (<-f.sink).Told(); told != at {
				t.Errorf("after %v files are told up to %d, want %d", after, told, at)
			}
		}
		const event = "inbox | created | /in/a | The file /in/a was created."
		touched(time.Second, true, event)
		touched(30*time.Second, true, event)
		touched(time.Second, false, "")
	})
}

// What was told is counted in milliseconds of the wall clock, which do not begin with those since the
// engine's start.
func TestEVT8TheLastFileIsNotToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		time.Sleep(500 * time.Microsecond)
		d, i := newFake(), newFake()
		w := begin(t, data, disk(d), inbox(i))
		low, files := <-d.sink, <-i.sink
		time.Sleep(600 * time.Microsecond)
		files.File("/in/a", settle.Written)
		seen := time.Now().UnixMilli()
		for range 25_000 { // the engine looks at times that do not depend on the change's
			time.Sleep(100 * time.Microsecond)
			low.Level("/", 100, "little", "enough")
		}
		time.Sleep(2 * time.Minute)
		w.stop()

		i = newFake()
		w = begin(t, data, inbox(i))
		defer w.stop()
		if told := (<-i.sink).Told(); told != seen {
			t.Errorf("files are told up to %d, want %d", told, seen)
		}
	})
}

// The clock was an hour ahead when something was told last, and has been set back: files that have
// changed since would look as if they had been told.
func TestEVT8AfterTheClockWasSetBackAnyFileMayHaveChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		i := newFake()
		w := begin(t, data, inbox(i))
		<-i.sink
		w.stop()
		name := filepath.Join(data, "events.json")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		ahead := strings.Replace(string(text), fmt.Sprint(time.Now().UnixMilli()), fmt.Sprint(time.Now().Add(time.Hour).UnixMilli()), 1)
		if err := os.WriteFile(name, []byte(ahead), 0o600); err != nil {
			t.Fatal(err)
		}

		for _, want := range []string{"inbox | changed | /in | More has changed below /in than could be followed, so look at the folder itself.", ""} {
			i = newFake()
			w = begin(t, data, inbox(i))
			(<-i.sink).Told()
			time.Sleep(time.Minute)
			w.want(want)
			w.stop()
		}
	})
}

func TestEVT8AnotherConfigurationKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		f := newFake()
		w := begin(t, data, disk(f))
		(<-f.sink).Level("/", 100, "little", "enough")
		time.Sleep(2 * time.Minute)
		w.want("root | low | / | little")
		w.stop()
		f = newFake()
		spec := disk(f)
		spec.Of = "/ below 7%"
		w = begin(t, data, spec)
		defer w.stop()
		(<-f.sink).Level("/", 100, "little", "enough")
		time.Sleep(2 * time.Minute)
		w.want("root | low | / | little")
	})
}

// Adding a pattern to ignore loses no file that came while shelly was not running; another folder, or
// those below it, are another source.
func TestEVT8WhatIsLeftOutMayChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		last := time.Now().UnixMilli()
		for i, c := range []struct {
			of, except string
			other      bool
		}{
			{"/in", "", true}, {"/in", ", but *.log", false}, {"/in", ", but *.log a/", false}, {"/in", "", false},
			{"/in, and below", "", true}, {"/in, and below", ", but x", false}, {"/in", ", but x", true},
			{"/inner", "", true}, {"/in", "", true},
		} {
			f := newFake()
			spec := inbox(f)
			spec.Of, spec.Except = c.of+c.except, c.except
			w := begin(t, data, spec)
			if c.other {
				last = time.Now().UnixMilli()
			}
			if told := (<-f.sink).Told(); told != last {
				t.Errorf("%d: %s: files are told up to %d, want %d", i, spec.Of, told, last)
			}
			w.stop()
			time.Sleep(time.Hour)
		}
	})
}

func TestEVT8ADamagedFileIsSaidAndKeepsNothing(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "events.json"), []byte(`{"format": 9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if k, err := event.OpenKept(data); err == nil || k == nil {
		t.Errorf("got %v, %v; want an error, not nil", k, err)
	}
}

// A source with an unchanged configuration keeps running; others begin and end (EVT-9).
func TestEVT9AReloadChangesTheSourcesThatAreOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, i := newFake(), newFake()
		w := begin(t, "", disk(d), inbox(i))
		defer w.stop()
		low, files := <-d.sink, <-i.sink
		files.File("/in/a", settle.Created)
		d2, i2 := newFake(), newFake()
		changed := disk(d2)
		changed.Hold = 0
		w.Use([]event.Spec{inbox(i2), changed})
		synctest.Wait()
		low.Level("/", 100, "old", "old") // it has ended
		(<-d2.sink).Level("/", 100, "little", "enough")
		time.Sleep(2 * time.Minute)
		w.want("root | low | / | little\ninbox | created | /in/a | The file /in/a was created.")
		select {
		case <-i2.sink:
			t.Error("what is as it was begins again")
		default:
		}
	})
}

func TestEVT13ASourceThatSeesNothingSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.fails(errors.New("there is no folder /in"))
		w := begin(t, "", inbox(f))
		defer w.stop()
		if s := w.States()[0]; s.Trouble != "there is no folder /in" {
			t.Errorf("it is %+v", s)
		}
		f.fails(nil)
		time.Sleep(2 * time.Second)
		sink := <-f.sink
		sink.Seen("3 folders")
		if s := w.States()[0]; s.Trouble != "" || s.Seen != "3 folders" {
			t.Errorf("it is %+v", s)
		}
	})
}

func TestEVT13AReasonIsLoggedOnceUntilItChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		spec := inbox(nil)
		spec.Source = watches(func(to event.Sink) error {
			tries++
			if tries == 60 {
				to.Seen("3 folders")
			}
			if tries < 30 {
				return errors.New("there is no folder /in")
			}
			return errors.New("/in is a file")
		})
		w := begin(t, "", spec)
		time.Sleep(2 * time.Hour)
		w.stop()
		if got := strings.Count(w.log.String(), "sees nothing"); got != 3 || tries < 100 {
			t.Errorf("it is logged %d times of %d; want 3, for two reasons and something seen since:\n%s", got, tries, w.log)
		}
	})
}

func TestEVT13ASourceThatHasWorkedIsTriedAgainSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries []time.Time
		spec := inbox(nil)
		spec.Source = watches(func(event.Sink) error {
			tries = append(tries, time.Now())
			if len(tries) == 10 {
				time.Sleep(time.Hour)
			}
			return errors.New("the folder /in is gone")
		})
		w := begin(t, "", spec)
		time.Sleep(2 * time.Hour)
		w.stop()
		if longest := tries[9].Sub(tries[8]); longest != time.Minute {
			t.Errorf("the longest wait is %v", longest)
		}
		if again := tries[10].Sub(tries[9].Add(time.Hour)); again != time.Second {
			t.Errorf("after an hour without a failure it waits %v, want a second", again)
		}
	})
}

func TestEVT13WhatIsNotHereIsNotTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.fails(fmt.Errorf("no /proc: %w", event.ErrNotHere))
		w := begin(t, "", disk(f))
		defer w.stop()
		time.Sleep(time.Minute)
		f.fails(nil)
		time.Sleep(time.Hour)
		if s := w.States()[0]; len(f.sink) != 0 || s.Trouble == "" {
			t.Errorf("it is %+v", s)
		}
	})
}

func TestEVT14TheLastEventsAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		spec := inbox(f)
		spec.Rate = hour(100)
		w := begin(t, "", spec)
		defer w.stop()
		sink := <-f.sink
		for i := range 7 {
			sink.File(fmt.Sprint("/in/", i), settle.Created)
			sink.File(fmt.Sprint("/in/", i, "b"), settle.Created)
			time.Sleep(3 * time.Second)
		}
		s := w.States()[0]
		var subjects []string
		for _, last := range s.Last {
			subjects = append(subjects, last.Text[len(last.Text)-6:])
		}
		if s.Raised != 7 || s.Unsaid != 7 || !slices.Equal(subjects, []string{"2, 2b.", "3, 3b.", "4, 4b.", "5, 5b.", "6, 6b."}) {
			t.Errorf("it is %+v", s)
		}
	})
}

// lasting is a source by its function, which is given how long it watches.
type lasting func(ctx context.Context, to event.Sink) error

// Watch implements [event.Source].
func (f lasting) Watch(ctx context.Context, to event.Sink) error { return f(ctx, to) }

func TestEVT9ASourceThatIsNoLongerConfiguredEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watching := 0
		spec := inbox(nil)
		spec.Source = lasting(func(ctx context.Context, _ event.Sink) error {
			watching++
			<-ctx.Done()
			watching--
			return nil
		})
		w := begin(t, "", spec)
		defer w.stop()
		if watching != 1 {
			t.Fatalf("%d watch", watching)
		}
		w.Use(nil)
		if watching != 0 { // when Use has returned
			t.Errorf("%d still watch", watching)
		}
	})
}

func TestEVT13ASourceThatEndsWatchesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watched := 0
		spec := inbox(nil)
		spec.Source = watches(func(event.Sink) error { watched++; return nil })
		w := begin(t, "", spec)
		defer w.stop()
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		if s := w.States()[0]; s.Trouble != "it has ended" || watched != 2 {
			t.Errorf("it has watched %d times and is %+v; want 2, Trouble %q", watched, s, "it has ended")
		}
	})
}

// While changes go on, what was seen may lag behind: a batch that did not wait until it was quiet tells
// them only up to a while before.
func TestEVT8OfAStreamOfChangesTheLastAreNotToldYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		i := newFake()
		w := begin(t, data, inbox(i))
		files := <-i.sink
		var seen int64
		for w.hears() == "" {
			files.File("/in/a", settle.Written)
			seen = time.Now().UnixMilli()
			time.Sleep(time.Second)
		}
		w.stop()
		i = newFake()
		w = begin(t, data, inbox(i))
		defer w.stop()
		if told, want := (<-i.sink).Told(), seen-5000; told != want {
			t.Errorf("files are told up to %d, want %d", told, want)
		}
	})
}

// What is kept when another source's event is raised does not count an event that was refused as
// raised: after a crash it would be lost.
func TestEVT8AStateThatWasRefusedIsRaisedAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		d, i := newFake(), newFake()
		w := begin(t, data, disk(d), inbox(i))
		w.refuses(errors.New("too much waits"))
		(<-d.sink).Level("/", 100, "little", "enough")
		time.Sleep(60500 * time.Millisecond) // it has been tried once
		if !w.States()[0].Waits {
			t.Error("no event waits")
		}
		files := <-i.sink
		files.Touched(time.Now().UnixMilli()) // so that what is told is written at the end
		w.want("")
		w.stop()

		d = newFake()
		w = begin(t, data, disk(d))
		defer w.stop()
		(<-d.sink).Level("/", 100, "little", "enough")
		time.Sleep(2 * time.Minute)
		w.want("root | low | / | little")
	})
}

// A source that a reload changes goes on from what was told in memory.
func TestEVT8AReloadForgetsNothingThatWasTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		i := newFake()
		w := begin(t, data, inbox(i))
		defer w.stop()
		time.Sleep(time.Minute)
		at := time.Now().UnixMilli()
		(<-i.sink).Touched(at)
		i = newFake()
		other := inbox(i)
		other.Do = "Read it."
		w.Use([]event.Spec{other})
		if told := (<-i.sink).Told(); told != at {
			t.Errorf("files are told up to %d, want %d", told, at)
		}
	})
}

// A reload while an event is being made durable does not write that it was raised.
func TestEVT8AStateIsKeptOnceItsEventIsDurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		f := newFake()
		w := begin(t, data, disk(f))
		defer w.stop()
		kept := func() string {
			text, err := os.ReadFile(filepath.Join(data, "events.json"))
			if err != nil {
				t.Error(err)
			}
			return string(text)
		}
		during := ""
		w.during = func() {
			w.Use([]event.Spec{disk(f)})
			during = kept()
		}
		(<-f.sink).Level("/", 100, "little", "enough")
		time.Sleep(2 * time.Minute)
		w.want("root | low | / | little")
		if after := kept(); strings.Contains(during, `"low"`) || !strings.Contains(after, `"low"`) {
			t.Errorf("before the event was durable %s was kept, and then %s", during, after)
		}
	})
}

// The first state that is seen is kept: a change of it while shelly is not running is told.
func TestEVT8AChangeOfTheFirstStateIsToldAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		of := func(f *fake) event.Spec {
			return event.Spec{Name: "ssh", Kind: "processes", Of: "sshd", Source: f, Hold: 60 * fsm.Second, Rate: hour(5)}
		}
		f := newFake()
		w := begin(t, data, of(f))
		(<-f.sink).State("sshd", "running", "It runs.")
		time.Sleep(2 * time.Minute)
		w.want("")
		w.stop()

		f = newFake()
		w = begin(t, data, of(f))
		defer w.stop()
		(<-f.sink).State("sshd", "gone", "It is gone.")
		time.Sleep(2 * time.Minute)
		w.want("ssh | gone | sshd | It is gone.")
	})
}

// What was refused and has turned back meanwhile is no event any more; nothing waits for it.
func TestEVT1AStateThatTurnsBackWhileItIsRefusedIsNoEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		w := begin(t, "", disk(f))
		sink := <-f.sink
		w.refuses(errors.New("too much waits"))
		sink.Level("/", 100, "little", "enough")
		time.Sleep(10 * time.Minute)
		sink.Level("/", 900, "little", "enough")
		time.Sleep(10 * time.Minute)
		if w.States()[0].Waits {
			t.Error("an event waits")
		}
		w.refuses(nil)
		time.Sleep(10 * time.Minute)
		w.want("")
		sink.Level("/", 200, "little.", "enough")
		time.Sleep(time.Minute) // as long as it has to hold
		w.want("root | low | / | little. Since the last event it has changed 2 more times, which no event has reported.")
		w.stop()
	})
}
