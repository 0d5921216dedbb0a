// Package inbox records up to where a person has read the messages to each chat (COM-50).
//
// The marks are in a file next to the journal: the machine decides nothing by them, and if some
// are lost, messages are merely shown as unread again.
package inbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/durable"
)

// Name is the file's name in the data folder.
const Name = "read.json"

// Bounds.
const (
	ChatsMax  = 1000 // chats with a mark
	UnreadMax = 1000 // unread messages that are counted

	fileBytesMax = 4 << 20
	version      = 1
)

// Mark says that the messages to a chat were read up to and including a position.
type Mark struct {
	Channel  string `json:"channel"`
	Chat     string `json:"chat,omitempty"`
	Position uint64 `json:"position"`
}

func (m Mark) chat() fsm.Origin { return fsm.Origin{Channel: m.Channel, Chat: m.Chat} }

// Inbox is the marks of a data folder. It is safe for concurrent use.
type Inbox struct {
	path string // empty: the marks are only in memory

	mu    sync.Mutex
	marks []Mark // in the order in which the chats were read, the latest last
	floor uint64 // everything up to here is read, or no longer kept
}

// whole is the content of the file.
type whole struct {
	Version int    `json:"version"`
	Read    []Mark `json:"read"`
}

// New returns an inbox without marks and without a file.
func New() *Inbox { return &Inbox{} }

// Open returns the inbox of a data folder. After an error, which names the file, the inbox is
// still usable: everything is unread.
func Open(data string) (*Inbox, error) {
	b := &Inbox{path: filepath.Join(data, Name)}
	marks, err := load(b.path)
	if err != nil {
		return b, fmt.Errorf("%s: %w", b.path, err)
	}
	b.marks = marks
	return b, nil
}

func load(path string) ([]Mark, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > fileBytesMax:
		return nil, errors.New("it is not a file of shelly's")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var w whole
	if err := json.Unmarshal(text, &w); err != nil {
		return nil, err
	}
	if w.Version != version {
		return nil, fmt.Errorf("it has version %d; this shelly knows version %d", w.Version, version)
	}
	return w.Read[:min(len(w.Read), ChatsMax)], nil
}

// Cap lowers the marks beyond the last position, because a restored journal gives out
// positions again.
func (b *Inbox) Cap(last uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.marks {
		b.marks[i].Position = min(b.marks[i].Position, last)
	}
}

// Read durably records up to where chats were read, but not beyond the last position.
// A mark before the chat's present one changes nothing.
func (b *Inbox) Read(last uint64, marks ...Mark) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := slices.Clone(b.marks)
	for _, m := range marks {
		m.Position = min(m.Position, last)
		i := slices.IndexFunc(now, func(o Mark) bool { return o.chat() == m.chat() })
		switch {
		case i >= 0 && now[i].Position >= m.Position, m.Position == 0:
			continue
		case i >= 0:
			now = slices.Delete(now, i, i+1)
		}
		now = append(now, m)
	}
	now = now[max(0, len(now)-ChatsMax):]
	if slices.Equal(now, b.marks) {
		return nil
	}
	if err := b.write(now); err != nil {
		return err
	}
	if !b.covers(now) {
		b.floor = 0 // a chat was dropped: its messages are unread again
	}
	b.marks = now
	return nil
}

// covers reports whether all chats that have a mark keep it.
func (b *Inbox) covers(now []Mark) bool {
	for _, m := range b.marks {
		if !slices.ContainsFunc(now, func(o Mark) bool { return o.chat() == m.chat() }) {
			return false
		}
	}
	return true
}

func (b *Inbox) write(marks []Mark) error {
	if b.path == "" {
		return nil
	}
	text, err := json.Marshal(whole{version, marks})
	if err != nil {
		return err
	}
	return durable.As{Alone: true}.Text(b.path, append(text, '\n'))
}

// Unread reports whether a message is unread.
func (b *Inbox) Unread(m engine.Message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unread(m)
}

func (b *Inbox) unread(m engine.Message) bool {
	i := slices.IndexFunc(b.marks, func(o Mark) bool { return o.chat() == m.To })
	return i < 0 || m.Position > b.marks[i].Position
}

// Floor returns a position up to which everything is read.
func (b *Inbox) Floor() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.floor
}

// Count counts the unread messages, up to UnreadMax, and returns when the first of them was
// sent. Read returns the first messages after a position, in order; none means that there are
// no more.
func (b *Inbox) Count(read func(after uint64) ([]engine.Message, error)) (n int, since fsm.Millis, err error) {
	for after := b.Floor(); n < UnreadMax; {
		page, err := read(after)
		if err != nil || len(page) == 0 {
			return n, since, err
		}
		b.mu.Lock()
		for _, m := range page {
			if b.unread(m) && n < UnreadMax {
				if n++; n == 1 {
					since = m.At
				}
			}
			if n == 0 && b.floor == after {
				b.floor = m.Position
				after = b.floor
			}
		}
		b.mu.Unlock()
		after = page[len(page)-1].Position
	}
	return n, since, nil
}
