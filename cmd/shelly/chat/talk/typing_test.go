package talk

import (
	"slices"
	"testing"
	"time"
)

// told is how often the daemon was told that the person writes.
func (p *person) told() (n int) {
	for _, e := range p.effects {
		if e == Effect(Typing{}) {
			n++
		}
	}
	return n
}

// The daemon is told that a person writes when the chat starts and when something stands in the line that
// is no command, at most once a minute and not while a request is running.
func TestCLI221WhoWritesIsTold(t *testing.T) {
	for _, tt := range []struct {
		name string
		does func(*person)
		want int
	}{
		{"the start", func(p *person) { p.does(Greeted{Brain: "a model"}) }, 1},
		{"a key", func(p *person) { p.types("a") }, 1},
		{"many keys", func(p *person) { p.types("abc") }, 1},
		{"a paste", func(p *person) { p.does(Paste{Text: "look at this"}) }, 1},
		{"a key soon after the start", func(p *person) { p.does(Greeted{Brain: "a model"}); p.types("a") }, 1},
		{"a key a minute after", func(p *person) {
			p.does(Greeted{Brain: "a model"})
			p.now = p.now.Add(time.Minute - time.Second) // the next message comes a second later
			p.types("a")
		}, 2},
		{"a command", func(p *person) { p.does(Paste{Text: "/request list"}); p.presses("enter") }, 0},
		{"a key that writes nothing", func(p *person) { p.presses("left", "ctrl+l") }, 0},
		{"while it is answered", func(p *person) {
			p.does(Going{ID: "r0", Text: "before"})
			p.types("a")
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPerson(t)
			p.now = p.now.Add(time.Hour)
			if tt.does(p); p.told() != tt.want {
				t.Errorf("told %d times, want %d: %#v", p.told(), tt.want, p.effects)
			}
		})
	}
}

// Another session is like a start: what is written in it comes after something else.
func TestCLI221WhoGoesToAnotherSessionIsTold(t *testing.T) {
	p := newPerson(t)
	p.now = p.now.Add(time.Hour)
	p.types("a")
	p.presses("backspace")
	p.does(Paste{Text: "/session work"})
	p.presses("enter")
	if p.told() != 1 || !slices.Contains(p.effects, Effect(Typing{Session: "work"})) {
		t.Errorf("it is told %#v", p.effects)
	}
}
