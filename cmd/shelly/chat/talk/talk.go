// Package talk is a conversation as it is shown: what happens goes into [Model.Update], what is
// to be done comes out of it, and [Model.Frame] is what the screen shows. It does no input or
// output, knows no clock and starts nothing, so that every behaviour can be tried without a
// terminal.
//
// What is finished is handed out once, to stand above, in the terminal's own scrollback; the
// rest is live: it is drawn again, as wide as the window is then, until it is finished.
package talk

import (
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
		Text string // what it writes; "": nothing
	}
	// Paste is a text that was pasted.
	Paste struct{ Text string }
	// Resized is the size of the window, in columns and rows.
	Resized struct{ Width, Height int }
	// Tick is that time has passed, while [Model.Busy].
	Tick struct{}
	// Happened is an event of a request.
	Happened struct {
		ID    string
		Event comm.Event
	}
	// Broke is that the connection of a request broke; it is tried again.
	Broke struct{ ID string }
	// Attached is that it is there again. Restarted: with another process of the daemon, so
	// that what follows is new.
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
	// Cancelled is what became of a wish to cancel.
	Cancelled struct {
		ID    string
		Taken bool
		Err   error
	}
	// Decided is what became of a person's answer.
	Decided struct {
		ID, Key  string
		Decision client.Decision
		Taken    bool
		Err      error
	}
	// Mail is messages to the chat, in order; More is how many unread ones wait beside them.
	Mail struct {
		Messages []comm.Message
		More     int
	}
	// Past is what was said in the session before, the newest last. Earlier is how many messages
	// there are before them.
	Past struct {
		Session  string
		Messages []session.Archived
		Earlier  uint64
	}
	// Going is a request that was sent before, and has no reply yet.
	Going struct{ ID, Text string }
	// Greeted says what answers.
	Greeted struct{ Brain string }
	// Said is what a command of the command line printed.
	Said struct {
		Text   string
		Failed bool
	}
	// Image is a picture that was read, or why it could not be. Typed is what to write where it
	// was no picture: a pasted text that looked like the name of one.
	Image struct {
		Path, Typed string
		Data        []byte
		Err         error
	}
	// Named are the names of files that begin as a text does.
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

// An Effect is something to do.
type Effect interface{ effect() }

// The effects.
type (
	// Ask sends a request, with the session that it belongs to ("": that of the chat).
	Ask struct {
		ID, Session, Text string
		Images            [][]byte
	}
	// Cancel asks to end a request.
	Cancel struct{ ID string }
	// Decide brings an answer to a question.
	Decide struct {
		ID       string
		Handle   fsm.HandleID
		Decision client.Decision
	}
	// Read says that messages were shown.
	Read struct{ Messages []comm.Message }
	// Run runs a command line; what it prints comes as [Said].
	Run struct{ Args []string }
	// Load reads what was said in a session.
	Load struct{ Session string }
	// Elsewhere says, as [Said], what still runs outside a session.
	Elsewhere struct{ Session string }
	// ReadImage reads a picture.
	ReadImage struct{ Path, Typed string }
	// Name lists the files that a name begins.
	Name struct{ Prefix string }
	// Remember keeps a line for later starts.
	Remember struct{ Line string }
	// Suspend hands the terminal back to the shell.
	Suspend struct{}
	// Quit ends the chat.
	Quit struct{}
)

func (Ask) effect()       {}
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
func (Quit) effect()      {}

// Options make a model.
type Options struct {
	Session string   // as it is named; "": that of the chat
	Chat    string   // the chat, in words: the session where none is named
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

	edit   editor.Editor
	menu   menu
	images []attached
	turns  []*turn // that are not finished, in the order of their sending
	last   *turn   // the one that ended last

	printed  []string // what is finished and not handed out yet
	above    kind     // what stands last above
	unfolded bool
	leaving  time.Time // when ^C was pressed with nothing to cancel
	beat     int
	quit     bool
	left     []string // the ids of what goes on after that
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

// Busy reports whether something shows that time passes.
func (m *Model) Busy() bool { return len(m.turns) > 0 }

// Unfinished are the ids of the requests that have no reply yet.
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

// Session is the session that requests go to, as a person names it.
func (m *Model) Session() string {
	if m.o.Session != "" {
		return m.o.Session
	}
	return m.o.Chat
}

// Update takes what has happened at a time, and returns what to do.
func (m *Model) Update(now time.Time, msg Msg) []Effect {
	m.now = now
	switch msg := msg.(type) {
	case Key:
		return m.key(msg)
	case Paste:
		return m.paste(msg.Text)
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
		}
	case Greeted:
		m.brain = msg.Brain
	case Said:
		m.said(msg)
	case Image:
		m.image(msg)
	case Named:
		m.named(msg)
	}
	return nil
}

// turn is the unfinished turn of a request, or nil.
func (m *Model) turn(id string) *turn {
	for _, t := range m.turns {
		if t.id == id {
			return t
		}
	}
	return nil
}
