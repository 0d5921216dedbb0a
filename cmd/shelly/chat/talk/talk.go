// Package talk is a conversation as it is shown: [Model.Update] takes what happens and returns
// the effects to perform, and [Model.Frame] is what the screen shows. It does no input or
// output, reads no clock and starts nothing, so that every behaviour can be tested without a
// terminal.
//
// What is finished is returned once, to be printed above, in the terminal's own scrollback. The
// rest is live: it is drawn again at the window's current width until it is finished.
package talk

import (
	"cmp"
	"slices"
	"time"

	"shelly/cmd/shelly/chat/editor"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/session"
)

// A Msg is something that has happened.
type Msg interface{ msg() }

// The messages.
type (
	// Key is a key that was pressed.
	Key struct {
		Name string // such as enter, ctrl+c, alt+b
		Text string // the text that it inserts, if any
	}
	// Paste is a text that was pasted.
	Paste struct{ Text string }
	// Resized is the size of the window, in columns and rows.
	Resized struct{ Width, Height int }
	// Tick reports that time has passed, while [Model.Busy].
	Tick struct{}
	// Happened is an event of a request.
	Happened struct {
		ID    string
		Event comm.Event
	}
	// Broke reports that the connection of a request broke; the client reconnects.
	Broke struct{ ID string }
	// Attached reports that the connection is back. Restarted: to another process of the
	// daemon, so that what follows is new.
	Attached struct {
		ID        string
		Restarted bool
	}
	// Ended is the end of a request.
	Ended struct {
		ID    string
		Reply client.Reply
		Err   error
	}
	// Cancelled is the outcome of a cancel.
	Cancelled struct {
		ID    string
		Taken bool
		Err   error
	}
	// Decided is the outcome of a person's answer.
	Decided struct {
		ID, Key string
		Reason  string // of a refusal
		Taken   bool
		Err     error
	}
	// Mail is messages to the chat, in order; More is how many further unread ones wait.
	Mail struct {
		Messages []comm.Message
		More     int
	}
	// Past is what was said in the session before, the newest last. Earlier is how many messages
	// there are before them. Anew is when the session was started over, in order. New: there is no
	// such session yet.
	Past struct {
		Session  string
		Messages []session.Archived
		Earlier  uint64
		Anew     []fsm.Millis
		New      bool
	}
	// Going is a request sent earlier that has no reply yet. It has waited since it was sent or, if that
	// was later, since the one before it ended.
	Going struct {
		ID, Text string
		Since    time.Time
	}
	// Greeted names what answers.
	Greeted struct{ Brain string }
	// Said is the output of a command line.
	Said struct {
		Text   string
		Failed bool
	}
	// Image is a picture that was read, or why it could not be. Typed is the text to insert if
	// it was not a picture: pasted text that looked like a path of one.
	Image struct {
		Path, Typed string
		Data        []byte
		Err         error
	}
	// Named has the names of files that begin with a prefix.
	Named struct {
		For   string
		Files []string
	}
)

func (Key) msg()       {}
func (Paste) msg()     {}
func (Resized) msg()   {}
func (Tick) msg()      {}
func (Happened) msg()  {}
func (Broke) msg()     {}
func (Attached) msg()  {}
func (Ended) msg()     {}
func (Cancelled) msg() {}
func (Decided) msg()   {}
func (Mail) msg()      {}
func (Past) msg()      {}
func (Going) msg()     {}
func (Greeted) msg()   {}
func (Said) msg()      {}
func (Image) msg()     {}
func (Named) msg()     {}

// An Effect is something to perform.
type Effect interface{ effect() }

// The effects.
type (
	// Ask sends a request, with the session that it belongs to ("": that of the chat).
	Ask struct {
		ID, Session, Text string
		Images            [][]byte
	}
	// Typing says that a person writes, or will soon, in a session (like that of Ask).
	Typing struct{ Session string }
	// Cancel asks to end a request.
	Cancel struct{ ID string }
	// Decide sends an answer to a question.
	Decide struct {
		ID       string
		Handle   fsm.HandleID
		Decision client.Decision
	}
	// Read marks messages as shown.
	Read struct{ Messages []comm.Message }
	// Run runs a command line; its output, for a screen of that many columns, comes as [Said].
	Run struct {
		Args    []string
		Columns int
	}
	// Load reads the archive of a session.
	Load struct{ Session string }
	// Elsewhere asks what still runs outside a session; the answer comes as [Said].
	Elsewhere struct{ Session string }
	// ReadImage reads a picture.
	ReadImage struct{ Path, Typed string }
	// Name lists the files that begin with a prefix.
	Name struct{ Prefix string }
	// Remember keeps a line for later starts.
	Remember struct{ Line string }
	// Suspend hands the terminal back to the shell.
	Suspend struct{}
	// Clear empties the window, so that all of it is drawn again.
	Clear struct{}
	// Quit ends the chat.
	Quit struct{}
)

func (Ask) effect()       {}
func (Typing) effect()    {}
func (Cancel) effect()    {}
func (Decide) effect()    {}
func (Read) effect()      {}
func (Run) effect()       {}
func (Load) effect()      {}
func (Elsewhere) effect() {}
func (ReadImage) effect() {}
func (Name) effect()      {}
func (Remember) effect()  {}
func (Suspend) effect()   {}
func (Clear) effect()     {}
func (Quit) effect()      {}

// Options configure a model.
type Options struct {
	Session string   // as the person named it; "": the chat's
	Chat    string   // the chat's name, shown as the session if none is named
	Earlier []string // lines that were written before
	Colours bool
	NewID   func() string
}

// Model is a conversation. Make it with [New].
type Model struct {
	o             Options
	style         style
	width, height int
	now           time.Time
	brain         string

	edit    editor.Editor
	menu    menu
	images  []attached
	because string  // the key of the question whose refusal is given the line as its reason; "": of none
	turns   []*turn // that are not finished, in the order of their sending
	last    *turn   // the one that ended last

	printed  []string // finished lines that [Model.Frame] has not returned yet
	above    kind     // the kind of the last printed line
	unfolded bool
	wrote    time.Time // when the daemon was last told that the person writes
	leaving  time.Time // when ^C was last pressed with nothing to cancel
	beat     int
	quit     bool
	left     []string // the ids of the requests that are still running then
}

// attached is a picture that goes with the next request.
type attached struct {
	name string
	data []byte
}

// New returns a conversation.
func New(o Options) *Model {
	m := &Model{o: o, width: 80, height: 24, style: style{colours: o.Colours}}
	m.edit.Remember(o.Earlier...)
	return m
}

// Busy reports whether what is shown depends on the time.
func (m *Model) Busy() bool { return len(m.turns) > 0 }

// Unfinished returns the ids of the requests that have no reply yet.
func (m *Model) Unfinished() []string {
	if m.quit {
		return slices.Clone(m.left)
	}
	var ids []string
	for _, t := range m.turns {
		ids = append(ids, t.id)
	}
	return ids
}

// Session returns the session that requests go to, as a person names it.
func (m *Model) Session() string { return cmp.Or(m.o.Session, m.o.Chat) }

// Update takes what has happened at a time, and returns the effects to perform.
func (m *Model) Update(now time.Time, msg Msg) []Effect {
	m.now = now
	switch msg := msg.(type) {
	case Key:
		return m.typing(m.key(msg))
	case Paste:
		return m.typing(m.paste(msg.Text))
	case Resized:
		m.width, m.height = max(msg.Width, 1), max(msg.Height, 1)
	case Tick:
		m.beat++
	case Happened:
		m.happened(msg)
	case Broke:
		if t := m.turn(msg.ID); t != nil {
			t.lost()
		}
	case Attached:
		if t := m.turn(msg.ID); t != nil {
			t.attached(msg.Restarted)
		}
	case Ended:
		return m.ended(msg)
	case Cancelled:
		m.cancelled(msg)
	case Decided:
		m.decided(msg)
	case Mail:
		return m.mail(msg)
	case Past:
		m.past(msg)
	case Going:
		if m.turn(msg.ID) == nil {
			m.turns = append(m.turns, &turn{id: msg.ID, text: msg.Text, began: now})
			if len(m.turns) == 1 && !msg.Since.IsZero() && msg.Since.Before(now) {
				m.turns[0].began, m.turns[0].underway = msg.Since, true
			}
		}
	case Greeted:
		m.brain = msg.Brain
		return m.writes(nil)
	case Said:
		m.said(msg)
	case Image:
		m.image(msg)
	case Named:
		m.named(msg)
	}
	return nil
}

// turn returns the unfinished turn of a request, or nil.
func (m *Model) turn(id string) *turn {
	for _, t := range m.turns {
		if t.id == id {
			return t
		}
	}
	return nil
}
