package tool

import (
	"context"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
)

// parts collects what is passed on.
type parts struct{ came chan string }

func (p *parts) hear(part string) {
	select {
	case p.came <- part:
	default:
	}
}

// next is the next part, which comes.
func (p *parts) next(t *testing.T) string {
	t.Helper()
	select {
	case part := <-p.came:
		return part
	case <-time.After(time.Minute):
		t.Fatal("nothing is passed on")
		return ""
	}
}

func follow(p *parts) *following { return followed(Follow(context.Background(), p.hear)) }

func TestTOL50WhatACommandWritesIsPassedOnWhileItRuns(t *testing.T) {
	p := &parts{make(chan string, 100)}
	f := follow(p)
	for _, text := range []string{"one\n", "two\x1b[31m\n", "thr\xc3"} {
		if n, err := f.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("got %d, %v; want %d", n, err, len(text))
		}
	}
	if got := p.next(t); !strings.HasPrefix(got, "one\ntwo") || strings.Contains(got, "\x1b") || !strings.HasSuffix(got, "thr") {
		t.Errorf("passed on is %q", got)
	}
	f.Write([]byte("\xa9e\n"))
	if got := p.next(t); got != "ée\n" {
		t.Errorf("a character in two parts becomes %q", got)
	}
	f.Write([]byte("late\n"))
	f.end()
	f.Write([]byte("later\n"))
	f.pass() // the timer may have been on its way
	if len(p.came) > 0 {
		t.Errorf("passed on after the end: %q", <-p.came)
	}
	if followed(context.Background()) != nil {
		t.Error("it is followed though nobody hears it")
	}
}

// However much is written, only a bounded part is kept and passed on, and the writer does not
// wait.
func TestTOL50WhatIsPassedOnIsBounded(t *testing.T) {
	p := &parts{make(chan string, 1000)}
	f := follow(p)
	passed := 0
	for range 40 {
		for range 100 {
			f.Write([]byte(strings.Repeat("x", 1000)))
		}
		if len(f.part) > followPartMax {
			t.Fatalf("%d bytes are kept", len(f.part))
		}
		f.pass()
	}
	f.end()
	for len(p.came) > 0 {
		part := <-p.came
		if passed += len(part); len(part) > followPartMax {
			t.Errorf("a part has %d bytes", len(part))
		}
		if len(p.came) == 0 && part != "[what follows is in the result]\n" {
			t.Errorf("the last part is %q", part)
		}
	}
	if passed < followBytesMax || passed > followBytesMax+100 {
		t.Errorf("%d bytes are passed on", passed)
	}
}

// The command continues only once its first words have been received.
func TestTOL50AFollowerHearsACommandBeforeItEnds(t *testing.T) {
	w := newWorld(t)
	w.allowExec()
	p := &parts{make(chan string, 100)}
	ctx := Follow(t.Context(), func(part string) {
		p.hear(part)
		w.write("heard", "yes")
	})
	got := w.runner().Run(ctx, fsm.RunTool{Name: "exec", Args: `{"command": "echo begun; until [ -e heard ]; do sleep 0.01; done; echo ended"}`})
	if first := p.next(t); first != "begun\n" || got.Failed || !strings.Contains(got.Text, "begun\nended") {
		t.Errorf("heard %q, the result is %+v", first, got)
	}
}
