package inbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/inbox"
)

func message(position uint64, chat string) engine.Message {
	return engine.Message{Position: position, At: fsm.Millis(position), SendMessage: fsm.SendMessage{To: fsm.Origin{Channel: "cli", Chat: chat}}}
}

func open(t *testing.T, data string) *inbox.Inbox {
	t.Helper()
	b, err := inbox.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// counted counts messages in pages of two.
func counted(t *testing.T, b *inbox.Inbox, all ...engine.Message) (n int, since fsm.Millis, looked int) {
	t.Helper()
	n, since, err := b.Count(func(after uint64) ([]engine.Message, error) {
		var page []engine.Message
		for _, m := range all {
			if m.Position > after && len(page) < 2 {
				page = append(page, m)
				looked++
			}
		}
		return page, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n, since, looked
}

func TestCOM50WhatWasReadIsKept(t *testing.T) {
	data := t.TempDir()
	b := open(t, data)
	marks := []inbox.Mark{{Channel: "cli", Chat: "a", Position: 4}, {Channel: "cli", Chat: "b", Position: 2}}
	if err := b.Read(9, marks...); err != nil {
		t.Fatal(err)
	}
	if err := b.Read(9, inbox.Mark{Channel: "cli", Chat: "a", Position: 3}); err != nil { // nothing becomes unread again
		t.Fatal(err)
	}
	for _, b := range []*inbox.Inbox{b, open(t, data)} {
		for m, unread := range map[*engine.Message]bool{
			new(message(4, "a")): false, new(message(5, "a")): true, new(message(2, "b")): false, new(message(3, "b")): true, new(message(1, "c")): true,
		} {
			if b.Unread(*m) != unread {
				t.Errorf("%d of %s: unread %v", m.Position, m.To.Chat, !unread)
			}
		}
	}
	if info, err := os.Stat(filepath.Join(data, inbox.Name)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v; want Mode().Perm() 0o600", info, err)
	}
}

// A restored journal gives out positions again; new messages at them are unread.
func TestCOM50NothingThatComesIsReadAlready(t *testing.T) {
	data := t.TempDir()
	b := open(t, data)
	if err := b.Read(7, inbox.Mark{Channel: "cli", Chat: "a", Position: 1 << 60}); err != nil {
		t.Fatal(err)
	}
	if b.Unread(message(7, "a")) || !b.Unread(message(8, "a")) {
		t.Error("a mark lies beyond the last message")
	}
	b = open(t, data)
	if b.Cap(3); b.Unread(message(3, "a")) || !b.Unread(message(4, "a")) {
		t.Error("a mark lies beyond the end of the journal")
	}
}

func TestCOM50TheChatsAreBounded(t *testing.T) {
	b := open(t, t.TempDir())
	mark := func(chats ...int) {
		var marks []inbox.Mark
		for n, chat := range chats {
			marks = append(marks, inbox.Mark{Channel: "cli", Chat: fmt.Sprint(chat), Position: uint64(5 + n/2)})
		}
		if err := b.Read(9, marks...); err != nil {
			t.Fatal(err)
		}
	}
	mark(0, 1, 0) // read again, so that it goes after 1
	for i := 2; i <= inbox.ChatsMax; i += 100 {
		var some []int
		for n := i; n < min(i+100, inbox.ChatsMax+1); n++ {
			some = append(some, n)
		}
		mark(some...)
	}
	if b.Unread(message(5, "0")) || !b.Unread(message(5, "1")) || b.Unread(message(5, "2")) {
		t.Error("the chat that was read the longest ago has not gone")
	}
}

// A chat that is forgotten is unread again, and what is counted begins there again.
func TestCOM50WhatIsUnreadAgainIsCounted(t *testing.T) {
	b := open(t, t.TempDir())
	if err := b.Read(9, inbox.Mark{Channel: "cli", Chat: "first", Position: 1}); err != nil {
		t.Fatal(err)
	}
	all := []engine.Message{message(1, "first")}
	if n, _, _ := counted(t, b, all...); n != 0 || b.Floor() != 1 {
		t.Errorf("got %d, floor %d; want 0, floor 1", n, b.Floor())
	}
	var marks []inbox.Mark
	for n := range inbox.ChatsMax - 1 {
		marks = append(marks, inbox.Mark{Channel: "cli", Chat: fmt.Sprint(n), Position: 2})
	}
	if err := b.Read(9, marks...); err != nil {
		t.Fatal(err)
	}
	if b.Floor() != 1 || b.Unread(all[0]) {
		t.Errorf("of as many chats as can be: floor %d, unread %t; want 1, false", b.Floor(), b.Unread(all[0]))
	}
	if err := b.Read(9, inbox.Mark{Channel: "cli", Chat: "last", Position: 2}); err != nil {
		t.Fatal(err)
	}
	if n, since, _ := counted(t, b, all...); n != 1 || since != 1 {
		t.Errorf("of one more: got %d since %d; want 1 since 1", n, since)
	}
}

func TestCOM50UnreadMessagesAreCounted(t *testing.T) {
	b := inbox.New()
	all := []engine.Message{message(1, "a"), message(2, "b"), message(3, "a"), message(4, "b")}
	if n, since, _ := counted(t, b, all...); n != 4 || since != 1 {
		t.Errorf("%d since %d", n, since)
	}
	if err := b.Read(9, inbox.Mark{Channel: "cli", Chat: "a", Position: 1}, inbox.Mark{Channel: "cli", Chat: "b", Position: 2}); err != nil {
		t.Fatal(err)
	}
	if n, since, looked := counted(t, b, all...); n != 2 || since != 3 || looked != 4 {
		t.Errorf("%d since %d after %d", n, since, looked)
	}
	if n, _, looked := counted(t, b, all...); n != 2 || looked != 2 || b.Floor() != 2 {
		t.Errorf("what is read is looked at again: %d, %d, floor %d", n, looked, b.Floor())
	}
	many := make([]engine.Message, inbox.UnreadMax+5)
	for i := range many {
		many[i] = message(uint64(i+10), "c")
	}
	if n, _, _ := counted(t, b, many...); n != inbox.UnreadMax {
		t.Errorf("got %d; want 1000", n)
	}
}

func TestCOM50AFileThatCannotBeReadMakesEverythingUnread(t *testing.T) {
	for name, text := range map[string]string{"garbage": "{", "newer": `{"version":2,"read":[]}`} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			if err := os.WriteFile(filepath.Join(data, inbox.Name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			b, err := inbox.Open(data)
			if err == nil || !b.Unread(message(1, "a")) {
				t.Fatalf("got %v; want an error, and the message unread", err)
			}
			if err := b.Read(9, inbox.Mark{Channel: "cli", Chat: "a", Position: 1}); err != nil {
				t.Fatal(err)
			}
			if again := open(t, data); again.Unread(message(1, "a")) {
				t.Error("it cannot be written")
			}
		})
	}
}
