package server_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim/server"
)

// text is a text of n tokens that begins with a mark of its own.
func text(mark string, tokens int) string { return mark + strings.Repeat("x", 4*tokens-len(mark)) }

var slow = server.Config{Reads: 10, Writes: 5, Slots: 1, Window: 1000, Loads: 8 * fsm.Second, Models: 1}

// one asks and returns how the call goes that must begin at once.
func one(t *testing.T, s *server.Server, now fsm.Millis, c server.Call) server.Served {
	t.Helper()
	begun := s.Ask(now, c)
	if len(begun) != 1 || begun[0].ID != c.ID {
		t.Fatalf("at %d ms call %d does not begin: %+v", now, c.ID, begun)
	}
	return begun[0]
}

func TestSIM20ACallReadsWhatItsSlotDoesNotHold(t *testing.T) {
	s := server.New(slow)
	prompt := text("a", 100)
	got := one(t, s, 0, server.Call{ID: 1, Model: "m", Prompt: prompt, Answer: text("b", 10)})
	want := server.Served{ID: 1, Loaded: 8000, First: 18000, Last: 20000, Prompt: 100, Read: 100, Written: 10}
	if got != want {
		t.Fatalf("the first call\n got %+v\nwant %+v", got, want)
	}
	s.End(got.Last, 1)
	longer := prompt + text("b", 10) + text("c", 50)
	got = one(t, s, 20000, server.Call{ID: 2, Model: "m", Prompt: longer})
	if got.Read != 50 || got.First != 25000 || got.Loaded != 20000 {
		t.Errorf("the second call reads %d tokens until %d ms, want 50 until 25000", got.Read, got.First)
	}
	s.End(got.Last, 2)
	if got = one(t, s, 30000, server.Call{ID: 3, Model: "m", Prompt: longer}); got.Read != 1 {
		t.Errorf("the same prompt again reads %d tokens, want the last alone", got.Read)
	}
}

func TestSIM20TheBestSlotServesElseTheOldest(t *testing.T) {
	c := slow
	c.Slots, c.Loads = 2, 0
	s := server.New(c)
	a, b := text("a", 100), text("b", 100)
	one(t, s, 0, server.Call{ID: 1, Model: "m", Prompt: a})
	one(t, s, 0, server.Call{ID: 2, Model: "m", Prompt: b})
	s.End(10000, 1)
	s.End(11000, 2)
	if got := one(t, s, 12000, server.Call{ID: 3, Model: "m", Prompt: b + text("c", 5)}); got.Read != 5 {
		t.Errorf("the slot that holds the prompt is not taken: %d tokens are read, want 5", got.Read)
	}
	s.End(13000, 3)
	one(t, s, 14000, server.Call{ID: 4, Model: "m", Prompt: text("d", 100)})
	s.End(30000, 4)
	if got := one(t, s, 30000, server.Call{ID: 5, Model: "m", Prompt: b}); got.Read != 1 {
		t.Errorf("the slot used last was given away: %d tokens are read, want 1", got.Read)
	}
}

func TestSIM21CallsWaitForASlot(t *testing.T) {
	s := server.New(slow)
	first := one(t, s, 0, server.Call{ID: 1, Model: "m", Prompt: text("a", 10)})
	if begun := s.Ask(100, server.Call{ID: 2, Model: "m", Prompt: text("b", 10)}); begun != nil {
		t.Fatalf("the second began while the first ran: %+v", begun)
	}
	if begun := s.Ask(200, server.Call{ID: 3, Model: "m", Prompt: text("c", 10)}); begun != nil {
		t.Fatalf("the third began while the first ran: %+v", begun)
	}
	s.End(300, 2) // it leaves the queue
	begun := s.End(first.Last, 1)
	if len(begun) != 1 || begun[0].ID != 3 || begun[0].Asked != 200 || begun[0].Begun != first.Last {
		t.Errorf("at the first's end %+v begin, want call 3 alone", begun)
	}
}

func TestSIM21OneModelAtATimeThrowsTheOtherOut(t *testing.T) {
	s := server.New(slow)
	prompt := text("a", 10)
	chat := one(t, s, 0, server.Call{ID: 1, Model: "chat", Prompt: prompt})
	if begun := s.Ask(0, server.Call{ID: 2, Model: "embed", Prompt: text("e", 10), Embeds: true}); begun != nil {
		t.Fatalf("a model is thrown out while it answers: %+v", begun)
	}
	begun := s.End(chat.Last, 1)
	if len(begun) != 1 || begun[0].Loaded != chat.Last+slow.Loads {
		t.Fatalf("the other model is not loaded when the first is idle: %+v", begun)
	}
	s.End(begun[0].Last, 2)
	if again := one(t, s, 60000, server.Call{ID: 3, Model: "chat", Prompt: prompt}); again.Loaded != 68000 || again.Read != 10 {
		t.Errorf("the model that was thrown out is still there: %+v", again)
	}
}

func TestSIM21AnIdleModelIsUnloaded(t *testing.T) {
	c := slow
	c.Keeps = server.IdleKept
	s := server.New(c)
	v := one(t, s, 0, server.Call{ID: 1, Model: "m", Prompt: text("a", 10)})
	s.End(v.Last, 1)
	if names := s.Loaded(v.Last + server.IdleKept - 1); len(names) != 1 {
		t.Errorf("the model is gone too early: %v", names)
	}
	if names := s.Loaded(v.Last + server.IdleKept); len(names) != 0 {
		t.Errorf("the model is still loaded: %v", names)
	}
}

// A real server (0.17.4) read 122 of 122 tokens again after its chat model had embedded a text.
func TestSIM20AnEmbeddingTakesTheSlotOfItsModel(t *testing.T) {
	s := server.New(slow)
	prompt := text("a", 100)
	v := one(t, s, 0, server.Call{ID: 1, Model: "m", Prompt: prompt})
	s.End(v.Last, 1)
	v = one(t, s, v.Last, server.Call{ID: 2, Model: "m", Prompt: text("e", 10), Embeds: true})
	s.End(v.Last, 2)
	if v = one(t, s, v.Last, server.Call{ID: 3, Model: "m", Prompt: prompt}); v.Read != 100 {
		t.Errorf("after an embedding %d tokens are read, want 100", v.Read)
	}
}

// A daemon that starts again loads its model, which is loaded already, and goes on.
func TestSIM20LoadingAModelTakesNoSlot(t *testing.T) {
	s := server.New(slow)
	prompt := text("a", 100)
	v := one(t, s, 0, server.Call{ID: 1, Model: "m", Prompt: prompt, Answer: text("b", 10)})
	if load := one(t, s, v.First, server.Call{ID: 2, Model: "m", Loads: true}); load.Last != v.First {
		t.Errorf("it waits for the call until %d", load.Last)
	}
	s.End(v.First, 2)
	s.End(v.Last, 1)
	s.End(v.Last, one(t, s, v.Last, server.Call{ID: 3, Model: "m", Loads: true}).ID)
	if v = one(t, s, v.Last, server.Call{ID: 4, Model: "m", Prompt: prompt}); v.Read != 1 {
		t.Errorf("after that %d tokens are read, want 1", v.Read)
	}
}

func TestSIM22WhatIsLongerThanTheWindow(t *testing.T) {
	s := server.New(slow)
	v := one(t, s, 0, server.Call{ID: 1, Model: "m", Prompt: text("a", 1001)})
	if !v.Refused || v.Last != v.Loaded || v.Read != 0 {
		t.Errorf("a prompt beyond the window is read: %+v", v)
	}
	s.End(v.Last, 1)
	v = one(t, s, v.Last, server.Call{ID: 2, Model: "m", Prompt: text("a", 990), Answer: text("b", 20)})
	if !v.Cut || v.Written != 10 {
		t.Errorf("an answer beyond the window is %d tokens, cut %t; want 10, true", v.Written, v.Cut)
	}
	s.End(v.Last, 2)
	v = one(t, s, v.Last, server.Call{ID: 3, Model: "m", Prompt: text("a", 10), Answer: text("b", 20), Limit: 7})
	if !v.Cut || v.Written != 7 {
		t.Errorf("an answer with a limit is %d tokens, cut %t; want 7, true", v.Written, v.Cut)
	}
}

func TestSIM23WhoLeavesKeepsWhatWasRead(t *testing.T) {
	prompt, answer := text("a", 100), text("b", 20)
	for _, c := range []struct {
		name  string
		leave fsm.Millis
		read  int // of prompt and answer, by the call that comes next
	}{
		{"while the model loads", 4000, 120},
		{"half-way through the prompt", 13000, 70},
		{"half-way through the answer", 20000, 10},
	} {
		s := server.New(slow)
		one(t, s, 0, server.Call{ID: 1, Model: "m", Prompt: prompt, Answer: answer})
		s.End(c.leave, 1)
		if v := one(t, s, 30000, server.Call{ID: 2, Model: "m", Prompt: prompt + answer}); v.Read != c.read {
			t.Errorf("left %s, the next call reads %d tokens, want %d", c.name, v.Read, c.read)
		}
	}
}

func TestTheZeroServerTakesNoTime(t *testing.T) {
	s := server.New(server.Config{})
	v := one(t, s, 5, server.Call{ID: 1, Model: "m", Prompt: text("a", 100_000), Answer: text("b", 1000)})
	if v.Last != 5 || v.Refused || v.Cut {
		t.Errorf("a server without speeds takes until %d ms: %+v", v.Last, v)
	}
}

// An answer is the prefix of the next prompt that brings it back, calls included.
func TestWhatIsWrittenStandsInTheNextPrompt(t *testing.T) {
	tools := []fsm.ToolDecl{{Name: "exec", Description: "runs", Parameters: `{"type":"object"}`}}
	talk := []fsm.Message{{Role: fsm.RoleSystem, Text: "You are."}, {Role: fsm.RoleUser, Text: "数える"}}
	calls := []fsm.ToolCall{{Name: "exec", Args: `{"command":"df"}`}, {Name: "exec", Args: `{}`}}
	held := server.Render(talk, tools) + server.Written("", "Let me see.", calls)
	next := server.Render(append(talk, fsm.Message{Role: fsm.RoleAssistant, Text: "Let me see.", Calls: calls},
		fsm.Message{Role: fsm.RoleTool, Tool: "exec", Text: "92%"}), tools)
	if !strings.HasPrefix(next, held) {
		t.Errorf("the next prompt does not begin with what the slot holds:\n%q\n%q", held, next)
	}
	if bare := server.Render(talk, nil); server.Tokens(server.Shared(bare, held)) >= server.Tokens(server.Render(talk[:1], nil)) {
		t.Errorf("a call without the tools shares more than the system text: %q", server.Shared(bare, held))
	}
}

func TestSIM20AnImageIsReadOnce(t *testing.T) {
	gauge, valve := []byte("gauge"), []byte("valve")
	talk := []fsm.Message{{Role: fsm.RoleUser, Text: "What is it?", Images: [][]byte{gauge}}}
	prompt := server.Render(talk, nil)
	if n := server.Tokens(prompt) - server.Tokens(server.Render([]fsm.Message{{Role: fsm.RoleUser, Text: "What is it?"}}, nil)); n != fsm.ImageTokens {
		t.Errorf("an image adds %d tokens to a prompt, want %d", n, fsm.ImageTokens)
	}
	s := server.New(server.Config{Reads: 100})
	one(t, s, 0, server.Call{ID: 1, Model: "m", Prompt: prompt})
	s.End(60000, 1)
	talk = append(talk, fsm.Message{Role: fsm.RoleUser, Text: "And this?", Images: [][]byte{valve}})
	v := one(t, s, 60000, server.Call{ID: 2, Model: "m", Prompt: server.Render(talk, nil)})
	if v.Read < fsm.ImageTokens || v.Read > fsm.ImageTokens+10 {
		t.Errorf("of two images the slot holds the first, and %d tokens are read, want one image and a question", v.Read)
	}
	s.End(90000, 2)
	talk[0].Images[0] = []byte("another")
	if v = one(t, s, 90000, server.Call{ID: 3, Model: "m", Prompt: server.Render(talk, nil)}); v.Read < 2*fsm.ImageTokens {
		t.Errorf("another image is taken for the one that the slot holds: %d tokens are read", v.Read)
	}
}

func TestSIM20AnImageIsReadWholeOrNotAtAll(t *testing.T) {
	image := server.Render([]fsm.Message{{Role: fsm.RoleUser, Images: [][]byte{[]byte("gauge")}}}, nil)
	other := server.Render([]fsm.Message{{Role: fsm.RoleUser, Images: [][]byte{[]byte("valve")}}}, nil)
	if got := server.Shared(image, other); strings.Contains(got, "image") {
		t.Errorf("two images share %q", got)
	}
	if got := server.Tokens("<|image is no image|>"); got > 10 {
		t.Errorf("a text that looks like an image is %d tokens", got)
	}
}

func TestSharedEndsBetweenCharacters(t *testing.T) {
	if got := server.Shared("a数", "a日"); got != "a" {
		t.Errorf("the shared prefix is %q, want %q", got, "a")
	}
	if got := server.First("ab数日", 2); got != "ab数" {
		t.Errorf("the first two tokens are %q, want %q", got, "ab数")
	}
}

// SIM-20: other speeds are those of the calls that begin after them.
func TestSIM20SpeedsChangeForCallsThatBegin(t *testing.T) {
	s := server.New(server.Config{Reads: 10, Writes: 10, Slots: 1})
	call := func(at fsm.Millis, id uint64) []server.Served {
		return s.Ask(at, server.Call{ID: id, Model: "m", Prompt: "one two three four five six seven eight nine ten eleven twelve " + string(rune('a'+id)), Answer: "one two three four five six"})
	}
	first := call(0, 1)[0]
	s.Go(1, 0)
	waits := call(1, 2)
	if len(waits) != 0 {
		t.Fatalf("got %v; want the second call to wait", waits)
	}
	second := s.End(first.Last, 1)[0]
	s.Go(0, 1)
	s.End(second.Last, 2)
	third := call(second.Last, 3)[0]
	reads, writes := func(v server.Served) fsm.Millis { return v.First - v.Loaded }, func(v server.Served) fsm.Millis { return v.Last - v.First }
	if got, want := reads(first), fsm.Millis(first.Read)*100; got != want {
		t.Errorf("the first call is read in %d; want %d", got, want)
	}
	if got, want := reads(second), fsm.Millis(second.Read)*1000; got != want || writes(second) != writes(first) {
		t.Errorf("the second call is read in %d and written in %d; want %d and %d", got, writes(second), want, writes(first))
	}
	if got := writes(third); got != 10*writes(first) {
		t.Errorf("the third call is written in %d; want %d", got, 10*writes(first))
	}
}
