package talk

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

func TestCLI155ACommandDoesWhatItsVerbDoes(t *testing.T) {
	run := func(args ...string) Run { return Run{Args: args, Columns: 77} }
	for line, want := range map[string]Effect{ // order-free: each has its own world
		"/schedule add --every 30m 'water the plants'": run("schedule", "add", "--every", "30m", "water the plants"),
		"/schedule":            run("schedule", "list"),
		"/schedule pause s1":   run("schedule", "pause", "s1"),
		"/messages":            run("messages"),
		"/status":              run("status"),
		"/model":               run("model", "list"),
		"/undo":                run("tool", "undo", "--session=cli:direct"),
		"/undo 2 --dry-run":    run("tool", "undo", "2", "--dry-run", "--session=cli:direct"),
		"/session":             run("session", "list"),
		"/session work":        Load{Session: "work"},
		"/image a b.png":       ReadImage{Path: "a b.png"},
		"/quit":                Quit{},
		"/memory search x\\ y": run("memory", "search", "x y"),
	} {
		p := newPerson(t)
		p.does(Paste{Text: line})
		p.presses("enter")
		got := slices.DeleteFunc(p.effects, func(e Effect) bool { _, is := e.(Typing); return is }) // CLI-221
		if len(got) != 1 || fmt.Sprintf("%#v", got[0]) != fmt.Sprintf("%#v", want) {
			t.Errorf("%s: %#v, want %#v", line, got, want)
		}
		if !p.edit.Empty() {
			t.Errorf("%s stays in the line", line)
		}
	}
	for line, says := range map[string]string{ // order-free: each has its own world
		"/shedule list": "did you mean /schedule?", "/xyzzy": "/help lists them. To send", "/bye": "did you mean /quit?", "/Clear": "did you mean /new?", "/messages -f": "does not end", "/schedule what": "give one of list, add",
		"/image": "name the file", "/request show 'a": "a quote is not closed", "/help": "alt-enter, ctrl-j",
		"/model big:4b": "shelly run --model big:4b",
	} {
		p := newPerson(t)
		p.does(Paste{Text: line})
		p.presses("enter")
		p.shows(says)
		if len(p.effects) > 0 {
			t.Errorf("%s: got %#v; want none", line, p.effects)
		}
	}
	p := newPerson(t)
	for _, text := range []string{"/new", "/STOP", "/etc/passwd: what is in it?", " /xyzzy"} { // the machine's, and texts
		if id := p.asks(text); id == "" || p.turns[len(p.turns)-1].text != strings.TrimSpace(text) {
			t.Errorf("%q is not sent", text)
		}
	}
}

func TestCLI155TheHelpIsWholeInANarrowWindow(t *testing.T) {
	for _, columns := range []int{120, 80, 60, 40, 24} {
		p := newPerson(t)
		p.does(Resized{columns, 24}, Paste{Text: "/help"})
		p.presses("enter")
		text := strings.Join(strings.Fields(strings.Join(p.above, " ")), " ")
		for _, c := range commands() {
			if want := strings.Join(strings.Fields(c.name+" "+c.args+" "+c.does), " "); !strings.Contains(text, want) && columns > 40 || !strings.Contains(text, c.does) {
				t.Errorf("%d columns: %q is missing in\n%s", columns, want, strings.Join(p.above, "\n"))
			}
		}
	}
}

func TestCLI150NotesAreWrappedBetweenWords(t *testing.T) {
	p := newPerson(t)
	p.does(Resized{48, 24}, Image{Path: "notes", Err: errors.New("/home/me/notes is not a PNG, JPEG or WebP image (it looks like text/plain); send another file")})
	p.does(Paste{Text: "/memory search" + strings.Repeat(" words", 12)})
	p.presses("enter")
	p.does(Paste{Text: "/nothing"})
	p.presses("enter")
	p.shows("✗ /home/me/notes is not a PNG, JPEG or WebP", "image (it looks like text/plain); send another", "✗ there is no command", "as text, begin with a space.")
}

func TestCLI155OfALongOutputBothEndsAreShown(t *testing.T) {
	p := newPerson(t)
	var lines []string
	for i := range 500 {
		lines = append(lines, fmt.Sprintf("line %d.", i))
	}
	p.does(Said{Text: strings.Join(lines, "\n")})
	p.shows("  line 0.", "  line 99.", "  … 300 lines left out …", "  line 400.", "  line 499.")
	p.shows0("line 100.")
	p.shows0("line 399.")
}

func TestCLI155StopSaysWhatGoesOnElsewhere(t *testing.T) {
	p := newPerson(t)
	first := p.asks("go")
	stop := p.asks("/stop")
	p.shows("⋯ /stop")
	p.replies(stop, "Stopped: 1.")
	if e, ok := last[Elsewhere](p); !ok || e.Session != "cli:direct" {
		t.Errorf("got %#v, %v, %q; want ok true, e.Session %q", p.effects, ok, e.Session, "cli:direct")
	}
	p.shows("› go", "› /stop", "Stopped: 1.") // at once, though the other goes on
	p.does(Ended{ID: first, Reply: client.Reply{Text: "cancelled", IsError: true, Outcome: fsm.OutcomeCancelled}})
	p.shows("✗ cancelled")
	p.shows0("ended")
}

func TestCLI155TabCompletesACommand(t *testing.T) {
	p := newPerson(t)
	p.types("/s")
	p.shows("/stop", "/session", "/schedule", "/status")
	p.types("c")
	p.presses("tab")
	if got := p.edit.Text(); got != "/schedule " {
		t.Errorf("got %q; want %q", got, "/schedule ")
	}
	p.shows("/schedule list", "/schedule add", "/schedule run")
	p.types("r")
	p.presses("tab")
	if got := p.edit.Text(); got != "/schedule remove" {
		t.Errorf("got %q; want %q", got, "/schedule remove")
	}
	p.presses("tab")
	if got := p.edit.Text(); got != "/schedule resume" {
		t.Errorf("got %q; want %q", got, "/schedule resume")
	}
	p.presses("ctrl+u")
	p.types("/image pi")
	p.presses("tab")
	if n, ok := last[Name](p); !ok || n.Prefix != "pi" {
		t.Errorf("got %#v, %v, %q; want ok true, n.Prefix %q", p.effects, ok, n.Prefix, "pi")
	}
	p.does(Named{For: "pi", Files: []string{"pic/one.png", "pic/once.png"}})
	if got := p.edit.Text(); got != "/image pic/on" {
		t.Errorf("got %q; want %q", got, "/image pic/on")
	}
}

func TestCLI156EarlierLinesComeBack(t *testing.T) {
	p := newPerson(t)
	p.edit.Remember("from before")
	p.asks("one")
	p.effects = slices.DeleteFunc(p.effects, func(e Effect) bool { return e == Effect(Typing{}) })
	if r, ok := p.effects[0].(Remember); !ok || r.Line != "one" {
		t.Errorf("got %#v, %v, %q; want ok true, r.Line %q", p.effects, ok, r.Line, "one")
	}
	p.effects = nil
	p.asks(" secret")
	p.does(Paste{Text: "/request show x"})
	p.presses("enter")
	for _, e := range p.effects {
		if r, ok := e.(Remember); ok {
			t.Errorf("%q is kept over starts", r.Line)
		}
	}
	p.types("draft")
	p.presses("up", "up", "up", "up", "up")
	if got := p.edit.Text(); got != "from before" {
		t.Errorf("got %q; want %q", got, "from before")
	}
	p.presses("down", "down", "down", "down", "down")
	if got := p.edit.Text(); got != "draft" {
		t.Errorf("got %q; want %q", got, "draft")
	}
}

func TestCLI157WhatTheDaemonWouldRefuseIsNotSent(t *testing.T) {
	p := newPerson(t)
	for range comm.ImagesMax {
		p.does(Image{Path: "a.png", Data: []byte("a")})
	}
	p.does(Image{Path: "b.png", Data: []byte("b")}, Image{Path: "c.png", Data: []byte("c"), Typed: "c.png"})
	p.shows("✗ a request has at most 16 pictures: send these first")
	p.shows0("b.png, 1 KiB")
	if got := p.edit.Text(); got != "c.png" {
		t.Errorf("what was typed is lost: %q", got)
	}
	p.presses("ctrl+u", "enter")
	if a, sent := last[Ask](p); sent {
		t.Errorf("a request without a text is sent: %+v", a)
	}
	p.shows("say what shelly should do with the picture")
	p.asks("what are these?")
	if a, _ := last[Ask](p); len(a.Images) != comm.ImagesMax {
		t.Errorf("%d images are sent", len(a.Images))
	}
}

func TestCLI157AnImageIsReadAndSent(t *testing.T) {
	p := newPerson(t)
	for typed, want := range map[string]string{ // order-free: the same person
		"'/tmp/a b.png'": "/tmp/a b.png", `/tmp/a\ b.JPG `: "/tmp/a b.JPG", "file:///tmp/a%20b.jpeg": "/tmp/a b.jpeg",
	} {
		p.does(Paste{Text: typed})
		if r, ok := last[ReadImage](p); !ok || r.Path != want || r.Typed != typed {
			t.Errorf("%q: got %#v, %v, %q, %q; want ok true, r.Path %q, r.Typed %q", typed, p.effects, ok, r.Path, r.Typed, want, typed)
		}
	}
	p.does(Image{Path: "b.png", Data: []byte("one"), Typed: "x"}, Image{Path: "c.png", Data: []byte("two")})
	p.shows("[image b.png, 1 KiB]", "[image c.png, 1 KiB]")
	p.presses("backspace")
	p.shows0("c.png")
	p.does(Image{Path: "d.png", Err: errors.New("d.png: is empty")})
	p.shows("✗ d.png: is empty")
	p.asks("what is this?")
	if a, _ := last[Ask](p); len(a.Images) != 1 || string(a.Images[0]) != "one" {
		t.Errorf("got %#v; want an Ask with 1 image, %q", p.effects, "one")
	}
	p.shows("› what is this? [image]")
	p.does(Image{Typed: "/tmp/none.png", Err: errors.New("there is no such file")})
	if got := p.edit.Text(); got != "/tmp/none.png" {
		t.Errorf("what was no picture is lost: %q", got)
	}
}
