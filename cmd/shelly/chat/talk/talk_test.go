package talk

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/session"
)

// person is somebody at a window: what stands above, what is live, and what is to be done.
type person struct {
	*Model
	t       *testing.T
	now     time.Time
	above   []string
	live    []string
	raw     string // all that was drawn, with its attributes
	effects []Effect
}

func newPerson(t *testing.T) *person {
	n := 0
	p := &person{t: t, now: time.UnixMilli(0)}
	p.Model = New(Options{Chat: "cli:direct", Colours: true, NewID: func() string { n++; return fmt.Sprint("r", n) }})
	p.does(Resized{80, 24})
	return p
}

// does takes messages, one a second.
func (p *person) does(msgs ...Msg) {
	p.t.Helper()
	for _, msg := range msgs {
		p.now = p.now.Add(time.Second)
		p.effects = append(p.effects, p.Update(p.now, msg)...)
		f := p.Frame()
		p.raw += strings.Join(f.Above, "\n") + strings.Join(f.Live, "\n")
		p.live = nil
		for _, line := range f.Above {
			p.above = append(p.above, strings.TrimRight(ansi.Strip(line), " "))
		}
		for _, line := range f.Live {
			if w := ansi.StringWidth(line); w >= p.width {
				p.t.Errorf("a line of %d columns in a window of %d: %q", w, p.width, line)
			}
			p.live = append(p.live, strings.TrimRight(ansi.Strip(line), " "))
		}
		if len(f.Live) >= p.height && p.height > 1 || f.Y >= max(len(f.Live), 1) {
			p.t.Errorf("%d live lines, the cursor in %d, in a window of %d", len(f.Live), f.Y, p.height)
		}
	}
}

// types presses the keys of a text.
func (p *person) types(text string) {
	for _, r := range text {
		p.does(Key{Name: string(r), Text: string(r)})
	}
}

func (p *person) presses(names ...string) {
	for _, name := range names {
		p.does(Key{Name: name})
	}
}

// asks sends a request and returns its id.
func (p *person) asks(text string) string {
	p.t.Helper()
	p.types(text)
	p.presses("enter")
	ask, ok := last[Ask](p)
	if !ok {
		p.t.Fatalf("%q is not asked: %+v", text, p.effects)
	}
	return ask.ID
}

// happens are events of a request.
func (p *person) happens(id string, events ...comm.Event) {
	p.t.Helper()
	for _, e := range events {
		p.does(Happened{ID: id, Event: e})
	}
}

func (p *person) replies(id, text string) {
	p.t.Helper()
	p.does(Ended{ID: id, Reply: client.Reply{ID: id, Text: text, Outcome: fsm.OutcomeAnswered}})
}

// shows holds that texts stand in the window, above or live, in this order and each once.
func (p *person) shows(texts ...string) {
	p.t.Helper()
	all := strings.Join(append(slices.Clone(p.above), p.live...), "\n")
	for _, text := range texts {
		if strings.Count(all, text) != 1 {
			p.t.Fatalf("%d times %q in\n%s", strings.Count(all, text), text, all)
		}
		_, all, _ = strings.Cut(all, text)
	}
}

func (p *person) shows0(texts ...string) {
	p.t.Helper()
	all := strings.Join(append(slices.Clone(p.above), p.live...), "\n")
	for _, text := range texts {
		if strings.Contains(all, text) {
			p.t.Fatalf("%q in\n%s", text, all)
		}
	}
}

// last is the last effect, if it is of a type.
func last[E Effect](p *person) (e E, ok bool) {
	if len(p.effects) > 0 {
		e, ok = p.effects[len(p.effects)-1].(E)
	}
	return e, ok
}

func chunk(text string) comm.Event {
	return comm.Event{Type: comm.EventChunk, Purpose: fsm.PurposeAnswer, Text: text}
}

func thinks(text string) comm.Event {
	return comm.Event{Type: comm.EventChunk, Purpose: fsm.PurposeAnswer, Thinking: text}
}

func moves(handle, inference fsm.State) comm.Event {
	return comm.Event{Type: comm.EventState, State: handle, Inference: inference}
}

func calls(tool, args string) comm.Event {
	return comm.Event{Type: comm.EventTool, Tool: tool, Args: args}
}

func returns(tool, text string, failed bool) comm.Event {
	return comm.Event{Type: comm.EventToolResult, Tool: tool, Text: text, Failed: failed}
}

func TestCLI151AReplyStreamsAndStands(t *testing.T) {
	p := newPerson(t)
	id := p.asks("what is here?")
	p.happens(id, moves(state.Cognition, ""), moves("", state.Thinking), thinks("The person wants "), thinks("a list."))
	p.shows("› what is here?", "∴ thinking", "The person wants a list.", "thinking", "esc cancels")
	if !strings.Contains(p.raw, "\x1b[2m  \x1b[3mThe person wants a list.") {
		t.Errorf("thinking is not dimmed: %q", p.raw)
	}
	p.happens(id, chunk("There is **one"), chunk(" file**."))
	p.shows("∴ thought for", "There is one file.")
	p.shows0("wants a list")
	p.replies(id, "There is **one file**.")
	p.shows("› what is here?", "∴ thought for", "There is one file.")
	if len(p.live) != 2 || p.live[1] != "›" || p.Busy() {
		t.Errorf("live: %q", p.live)
	}
}

func TestCLI151ACallIsALineThatUnfolds(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.happens(id, moves("", state.Acting), calls("exec", `{"command":"make\nall"}`), comm.Event{Type: comm.EventOutput, Tool: "exec", Text: "one\ntwo\n"})
	p.shows("→ exec command: make all │ two", "running exec")
	p.presses("ctrl+o")
	p.shows("→ exec", "command: make", "      all", "so far", "one", "two")
	p.presses("ctrl+o")
	p.happens(id, returns("exec", "exit status 2\nno rule\n", true))
	p.shows("✗ exec command: make all │ exit status 2 (+1)")
	p.replies(id, "It failed.")
	p.shows("✗ exec command: make all │ exit status 2 (+1)", "It failed.")
	p.shows0("no rule")
	p.presses("ctrl+o") // nothing runs: the last turn, in full, below
	p.shows("│ exit status 2", "It failed.", "result", "no rule")
}

func TestCLI151NothingActsOnTheTerminal(t *testing.T) {
	const hostile = "a\x1b[2J\x1b]0;title\x07\x9b31m\u202egnp.exe\r\nb\x00"
	p := newPerson(t)
	id := p.asks("go")
	p.happens(id, thinks(hostile), moves("", state.Thinking), chunk(hostile+"&#27;[2J `"+hostile+"` [x](http://e\x1b[2Jx)\n\n| a\x1b[1m | b |\n| - | - |\n| "+hostile+" | c |\n"),
		calls("tool\x1b[2J", `{"x\u001b[2J":"\u001b[2J`+"\x1b[2J"+`"}`), returns("tool\x1b[2J", hostile, true),
		comm.Event{Type: comm.EventWaiting, Text: hostile},
		comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Handle: 1, Key: "k", Tool: hostile, Args: `{"a":"\u001b[2J"}`, Preview: hostile, Text: hostile, Subject: []string{hostile}})
	p.presses("ctrl+o")
	p.does(Mail{Messages: []comm.Message{{Message: engine.Message{SendMessage: fsm.SendMessage{Session: hostile, Text: hostile}}}}},
		Past{Session: hostile, Messages: []session.Archived{{Message: fsm.Message{Role: fsm.RoleUser, Text: hostile}}, {Message: fsm.Message{Role: fsm.RoleTool, Tool: hostile, Text: hostile}}, {Message: fsm.Message{Role: fsm.RoleAssistant, Text: hostile}}}},
		Greeted{Brain: hostile}, Said{Text: hostile}, Image{Path: hostile, Data: []byte("x")}, Image{Path: hostile, Err: errors.New(hostile)}, Paste{Text: hostile}, Named{For: "", Files: []string{hostile}})
	p.does(Ended{ID: id, Reply: client.Reply{Text: hostile, IsError: true}})
	for at, r := range p.raw {
		if r == '\n' || r >= ' ' && r != 0x7f && !(r >= 0x80 && r < 0xa0) && r != '\u202e' {
			continue
		}
		code, _, ok := strings.Cut(p.raw[at:], "m")
		if r != 0x1b || !ok || strings.Trim(code, "\x1b[0123456789;") != "" {
			t.Fatalf("%q reaches the terminal in %q", r, p.raw[max(0, at-20):min(len(p.raw), at+20)])
		}
	}
}

func ask(key string) comm.Event {
	return comm.Event{
		Type: comm.EventQuestion, Question: fsm.QuestionApprove, Handle: 7, Key: key, Tool: "exec", Args: `{"command":"make"}`,
		Text: "it publishes", Preview: "-a\n+b\n", Subject: []string{"path"},
	}
}

func TestCLI152EachAnswer(t *testing.T) {
	for key, want := range map[string]client.Decision{ // order-free: each has its own world
		"y": {Approve: true}, "n": {}, "s": {Approve: true, Grant: fsm.GrantSession}, "a": {Approve: true, Grant: fsm.GrantAlways},
	} {
		p := newPerson(t)
		id := p.asks("go")
		p.happens(id, ask("k"), ask("k"))
		p.does(Tick{})
		p.shows("? may exec run? (it publishes)", "command: make", "-a", "+b", "calls with the same path", "[y]es, [n]o, for this [s]ession, [a]lways?")
		p.types("x")
		p.presses("backspace")
		p.types(key)
		p.types(key) // the question is over
		want.Key = "k"
		if d, ok := last[Decide](p); !ok || d.Handle != 7 || d.Decision != want {
			t.Errorf("%s: %+v", key, p.effects)
		}
		p.shows0("[y]es")
		if got := p.edit.Text(); got != key {
			t.Errorf("%s: the second goes into the line: %q", key, got)
		}
		p.happens(id, ask("k")) // told again
		p.shows0("[y]es")
	}
}

func TestCLI152NoKeyAnswersByMistake(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.types("sa")
	p.happens(id, ask("k"))
	p.shows0("[y]es") // not before a key answers
	p.types("y")      // belongs to the word
	p.shows("once the line below is sent or empty")
	p.does(Paste{Text: "y"})
	p.presses("ctrl+u")
	p.happens(id, ask("l"))
	p.effects = append(p.effects, p.Update(p.now.Add(restAfter/2), Key{Name: "y", Text: "y"})...) // it was not seen yet
	if _, ok := last[Decide](p); ok {
		t.Errorf("%+v", p.effects)
	}
	p.types("y")
	if d, ok := last[Decide](p); !ok || d.Decision.Key != "l" {
		t.Errorf("%+v", p.effects)
	}
}

func TestCLI152AnAnswerThatIsNotTaken(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.happens(id, ask("k"), moves(state.Execution, ""))
	p.shows("answered elsewhere")
	p.shows0("[y]es")
	p.happens(id, ask("l"))
	p.types("y")
	p.does(Decided{ID: id, Key: "l", Err: errors.New("the file is damaged")})
	p.shows("the file is damaged", "[y]es")
	p.types("n")
	p.does(Decided{ID: id, Key: "l", Taken: false})
	p.shows("not taken")
}

func TestCLI153CancelAndLeave(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.types("more")
	p.presses("ctrl+c")
	if _, ok := last[Cancel](p); ok || !p.edit.Empty() {
		t.Errorf("^C empties the line first: %+v", p.effects)
	}
	p.presses("ctrl+c")
	if c, ok := last[Cancel](p); !ok || c.ID != id {
		t.Fatalf("%+v", p.effects)
	}
	p.shows("cancelling", "esc again leaves")
	p.does(Cancelled{ID: id, Taken: false})
	p.shows("it is not cancelled")
	p.presses("esc")
	if _, ok := last[Quit](p); !ok || len(p.live) != 0 || !slices.Equal(p.Unfinished(), []string{id}) {
		t.Errorf("%+v %q", p.effects, p.live)
	}
	p = newPerson(t)
	p.presses("ctrl+c")
	p.shows("^C again leaves")
	p.now = p.now.Add(time.Minute)
	p.presses("ctrl+c")
	if _, ok := last[Quit](p); ok {
		t.Error("a ^C of a minute ago counts")
	}
	p.presses("ctrl+c")
	if _, ok := last[Quit](p); !ok {
		t.Error("two of them do not leave")
	}
}

func TestCLI154ARestartGoesOnWhereItBrokeOff(t *testing.T) {
	p := newPerson(t)
	p.does(Resized{40, 8})
	id := p.asks("tell")
	p.happens(id, moves("", state.Thinking), chunk("One.\n\nTwo.\n\nThree.\n\nFo"))
	if !slices.Contains(p.above, "One.") {
		t.Fatalf("nothing stands above: %q", p.above)
	}
	p.does(Broke{ID: id})
	p.shows("no answer from shelly; trying again")
	p.does(Attached{ID: id, Restarted: true})
	p.shows0("Fo", "trying again")
	p.happens(id, moves("", state.Thinking), chunk("One."), chunk("\n\nTwo.\n\nThree.\n\nFour."))
	p.shows("One.", "Two.", "Three.", "Four.")
	p.replies(id, "One.\n\nTwo.\n\nThree.\n\nFour.")
	p.shows("One.", "Two.", "Three.", "Four.")
	p.shows0("begins again")
}

func TestCLI154AnotherAnswerAfterARestartIsShownWhole(t *testing.T) {
	p := newPerson(t)
	p.does(Resized{40, 8})
	id := p.asks("tell")
	p.happens(id, chunk("One.\n\nTwo.\n\nThree.\n\nFo"))
	p.does(Broke{ID: id}, Attached{ID: id, Restarted: true})
	p.happens(id, chunk("Ei"), chunk("ns.\n\nZwei."))
	p.shows("One.", "the answer begins again", "Eins.", "Zwei.")
	p.replies(id, "Eins.\n\nZwei.")
	p.shows("One.", "Eins.", "Zwei.")
}

func TestCLI154WhatIsToldTwiceIsShownOnce(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	before := []comm.Event{moves(state.Cognition, ""), calls("a", "{}"), returns("a", "first", false), calls("b", "{}")}
	p.happens(id, before...)
	p.does(Broke{ID: id}, Attached{ID: id})
	p.happens(id, before...)
	p.happens(id, returns("b", "second", false), calls("a", "{}"), returns("a", "third", false), chunk("Do"))
	p.does(Broke{ID: id}, Attached{ID: id})
	p.happens(id, comm.Event{Type: comm.EventChunk, Text: "Do it be", Whole: true}, chunk(" done.")) // what was missed meanwhile
	p.shows("│ first", "│ second", "│ third", "Do it be done.")
	p.replies(id, "Do it be done.")
	p.shows("│ first", "│ second", "│ third", "Do it be done.")
}

func TestCOM60WhatStandsAboveIsNotShownTwice(t *testing.T) {
	p := newPerson(t)
	p.does(Resized{40, 8})
	id := p.asks("tell")
	p.happens(id, moves("", state.Thinking), thinks("hm"), chunk("One.\n\nTwo.\n\nThree.\n\nFo"))
	p.does(Broke{ID: id}, Attached{ID: id})
	p.happens(id, comm.Event{Type: comm.EventChunk, Thinking: "hm", Text: "One.\n\nTwo.\n\nThree.\n\nFour.\n\nFi", Whole: true}, chunk("ve."))
	p.shows("One.", "Two.", "Three.", "Four.", "Five.")
}

func TestCLI155Commands(t *testing.T) {
	for line, want := range map[string]Effect{ // order-free: each has its own world
		"/schedule add --every 30m 'water the plants'": Run{Args: []string{"schedule", "add", "--every", "30m", "water the plants"}},
		"/schedule":            Run{Args: []string{"schedule", "list"}},
		"/schedule pause s1":   Run{Args: []string{"schedule", "pause", "s1"}},
		"/messages":            Run{Args: []string{"messages"}},
		"/status":              Run{Args: []string{"status"}},
		"/model":               Run{Args: []string{"model", "list"}},
		"/session":             Run{Args: []string{"session", "list"}},
		"/session work":        Load{Session: "work"},
		"/image a b.png":       ReadImage{Path: "a b.png"},
		"/quit":                Quit{},
		"/memory search x\\ y": Run{Args: []string{"memory", "search", "x y"}},
	} {
		p := newPerson(t)
		p.does(Paste{Text: line})
		p.presses("enter")
		if got := p.effects; len(got) != 1 || fmt.Sprintf("%#v", got[0]) != fmt.Sprintf("%#v", want) {
			t.Errorf("%s: %#v, want %#v", line, got, want)
		}
		if !p.edit.Empty() {
			t.Errorf("%s stays in the line", line)
		}
	}
	for line, says := range map[string]string{ // order-free: each has its own world
		"/shedule list": "did you mean /schedule?", "/xyzzy": "/help lists them", "/messages -f": "does not end", "/schedule what": "say one of list, add",
		"/image": "name the file", "/request show 'a": "a quote is not closed", "/help": "alt-enter, ctrl-j",
	} {
		p := newPerson(t)
		p.does(Paste{Text: line})
		p.presses("enter")
		p.shows(says)
		if len(p.effects) > 0 {
			t.Errorf("%s: %#v", line, p.effects)
		}
	}
	p := newPerson(t)
	for _, text := range []string{"/new", "/STOP", "/etc/passwd: what is in it?", " /xyzzy"} { // the machine's, and texts
		if id := p.asks(text); id == "" || p.turns[len(p.turns)-1].text != strings.TrimSpace(text) {
			t.Errorf("%q is not sent", text)
		}
	}
}

func TestCLI155StopSaysWhatGoesOnElsewhere(t *testing.T) {
	p := newPerson(t)
	first := p.asks("go")
	stop := p.asks("/stop")
	p.shows("⋯ /stop")
	p.replies(stop, "Stopped: 1.")
	if e, ok := last[Elsewhere](p); !ok || e.Session != "cli:direct" {
		t.Errorf("%#v", p.effects)
	}
	p.shows("› go", "› /stop", "Stopped: 1.") // at once, though the other goes on
	p.does(Ended{ID: first, Reply: client.Reply{Text: "cancelled", IsError: true, Outcome: fsm.OutcomeCancelled}})
	p.shows("✗ cancelled")
	p.shows0("ended")
}

func TestCLI155Completion(t *testing.T) {
	p := newPerson(t)
	p.types("/s")
	p.shows("/stop", "/session", "/schedule", "/status")
	p.types("c")
	p.presses("tab")
	if got := p.edit.Text(); got != "/schedule " {
		t.Errorf("%q", got)
	}
	p.shows("/schedule list", "/schedule add", "/schedule run")
	p.types("r")
	p.presses("tab")
	if got := p.edit.Text(); got != "/schedule remove" {
		t.Errorf("%q", got)
	}
	p.presses("tab")
	if got := p.edit.Text(); got != "/schedule resume" {
		t.Errorf("%q", got)
	}
	p.presses("ctrl+u")
	p.types("/image pi")
	p.presses("tab")
	if n, ok := last[Name](p); !ok || n.Prefix != "pi" {
		t.Errorf("%#v", p.effects)
	}
	p.does(Named{For: "pi", Files: []string{"pic/one.png", "pic/once.png"}})
	if got := p.edit.Text(); got != "/image pic/on" {
		t.Errorf("%q", got)
	}
}

func TestCLI156EarlierLines(t *testing.T) {
	p := newPerson(t)
	p.edit.Remember("from before")
	p.asks("one")
	if r, ok := p.effects[0].(Remember); !ok || r.Line != "one" {
		t.Errorf("%#v", p.effects)
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
		t.Errorf("%q", got)
	}
	p.presses("down", "down", "down", "down", "down")
	if got := p.edit.Text(); got != "draft" {
		t.Errorf("%q", got)
	}
}

func TestCLI157Images(t *testing.T) {
	p := newPerson(t)
	for typed, want := range map[string]string{ // order-free: the same person
		"'/tmp/a b.png'": "/tmp/a b.png", `/tmp/a\ b.JPG `: "/tmp/a b.JPG", "file:///tmp/a%20b.jpeg": "/tmp/a b.jpeg",
	} {
		p.does(Paste{Text: typed})
		if r, ok := last[ReadImage](p); !ok || r.Path != want || r.Typed != typed {
			t.Errorf("%q: %#v", typed, p.effects)
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
		t.Errorf("%#v", p.effects)
	}
	p.shows("› what is this? [image]")
	p.does(Image{Typed: "/tmp/none.png", Err: errors.New("there is no such file")})
	if got := p.edit.Text(); got != "/tmp/none.png" {
		t.Errorf("what was no picture is lost: %q", got)
	}
}

func TestCLI158MessagesAreShownAndRead(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.happens(id, chunk("I am "))
	m := comm.Message{Message: engine.Message{Position: 8, SendMessage: fsm.SendMessage{Session: "schedule:s1", To: fsm.Origin{Channel: "cli", Chat: "direct"}, Text: "Water the **plants**."}}, From: comm.FromSchedule}
	p.does(Mail{Messages: []comm.Message{m}, More: 3})
	if r, ok := last[Read](p); !ok || r.Messages[0].Position != 8 {
		t.Errorf("%#v", p.effects)
	}
	p.shows("schedule s1 to cli:direct", "Water the plants.", "3 unread messages", "I am")
	p.replies(id, "I am here.")
	p.shows("Water the plants.", "I am here.")
}

func TestCLI150WhatWasSaidBeforeIsShown(t *testing.T) {
	p := newPerson(t)
	p.does(Greeted{Brain: "qwen3"}, Past{Session: "cli:direct", Earlier: 7, Messages: []session.Archived{
		{Message: fsm.Message{Role: fsm.RoleUser, Text: "How full is the disk?"}},
		{Message: fsm.Message{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{Name: "exec", Args: `{"command":"df"}`}}}},
		{Message: fsm.Message{Role: fsm.RoleTool, Tool: "exec", Text: "92%\nand more"}},
		{Message: fsm.Message{Role: fsm.RoleAssistant, Text: "It is **92%** full."}},
	}})
	p.shows("7 messages before this", "› How full is the disk?", "✓ exec command: df │ 92% (+1)", "It is 92% full.", "session cli:direct, qwen3")
}

func TestCLI150AnAnswerOfAnyLengthFitsAnyWindow(t *testing.T) {
	text := "# Head\n\n" + strings.Repeat("one two three four 五六七八九十 ", 60) + "\n\n- a\n- b\n\n```\n" + strings.Repeat("code\n", 60) + "```\n\n| a | b |\n|---|---|\n| 漢字 | x |\n\nThe end."
	for _, size := range []Resized{{40, 10}, {120, 50}, {9, 4}, {2, 2}, {1, 1}} {
		p := newPerson(t)
		p.does(size)
		id := p.asks("tell me")
		for part := range slices.Chunk([]rune(text), 37) {
			p.happens(id, chunk(string(part)))
		}
		p.does(Resized{33, 12}, Resized{77, 20})
		p.replies(id, text)
		if size.Width >= 40 {
			p.shows("Head", "The end.")
		}
		if n := strings.Count(strings.Join(p.above, "\n"), "  code"); n != 60 {
			t.Errorf("%v: %d lines of code", size, n)
		}
	}
}

func TestCLI150ATextOfManyLinesIsPastedAndSent(t *testing.T) {
	p := newPerson(t)
	text := strings.Repeat("a line\twith 漢字\n", 300) + "the last"
	p.does(Paste{Text: strings.ReplaceAll(text, "\n", "\r\n")})
	p.shows("rows above", "the last")
	p.presses("enter")
	if a, _ := last[Ask](p); a.Text != text {
		t.Errorf("%d bytes are sent, not %d", len(a.Text), len(text))
	}
	p.shows("… 261 more lines")
}

func TestCLI150QueuedRequestsWaitInALine(t *testing.T) {
	p := newPerson(t)
	one, two := p.asks("one"), p.asks("two")
	p.happens(two, comm.Event{Type: comm.EventQueued, Ahead: 1})
	p.shows("› one", "⋯ two  (queued, 1 ahead)")
	p.replies(one, "First.")
	p.shows("› one", "First.", "› two")
	p.replies(two, "Second.")
	p.shows("First.", "› two", "Second.")
}

func TestCLI150WhatGoesOnIsShownAgain(t *testing.T) {
	p := newPerson(t)
	p.does(Going{ID: "old", Text: "tell"}, Going{ID: "old", Text: "tell"})
	p.happens("old", comm.Event{Type: comm.EventChunk, Text: "Once up", Whole: true}, chunk("on a time."))
	p.shows("› tell", "Once upon a time.")
	p.replies("old", "Once upon a time.")
	p.shows("› tell", "Once upon a time.")
}

func TestCLI150WithoutColours(t *testing.T) {
	m := New(Options{NewID: func() string { return "x" }})
	m.Update(time.Time{}, Paste{Text: "go"})
	m.Update(time.Time{}, Key{Name: "enter"})
	m.Update(time.Time{}, Happened{ID: "x", Event: calls("a", "{}")})
	f := m.Frame()
	for _, line := range append(f.Above, f.Live...) {
		if strings.Contains(line, "\x1b[3") {
			t.Errorf("%q has a colour", line)
		}
	}
}
