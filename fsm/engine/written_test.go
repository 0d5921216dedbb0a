package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// talker returns a configuration with the message tool.
func talker() fsm.Config {
	c := config()
	c.Tools = append(c.Tools, fsm.Builtins(fsm.ToolMessage)...)
	return c
}

// says returns the model's answer to the last call, which sends two messages.
func says(w *world) fsm.Input {
	return fsm.Input{At: 12, Fact: fsm.BrainAnswered{
		Answered: fsm.To(w.effects[len(w.effects)-1].(fsm.AskBrain).Call), Stop: fsm.StopToolUse,
		Calls: []fsm.ToolCall{
			{Name: fsm.ToolMessage, Args: `{"content":"one"}`},
			{Name: fsm.ToolMessage, Args: `{"content":"two","channel":"mail","chat_id":"x"}`},
		},
	}}
}

func request(id string) fsm.Requested {
	in := ask(id)
	in.Origin = fsm.Origin{Channel: "test", Chat: "t"}
	return in
}

// texts returns the texts of the messages to a chat.
func texts(t *testing.T, j engine.Journal, to fsm.Origin) []string {
	t.Helper()
	messages, err := j.Messages(to, 0, engine.ReadMax)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range messages {
		found = append(found, m.Text)
	}
	return found
}

// A message is in the journal if and only if its step is, and only once, however often the step
// is folded.
func TestHND46AMessageIsWrittenWithItsStep(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: talker()}}, fsm.Input{At: 10, Fact: request("a")})
	var seen []engine.Message
	e.Observe = func(s engine.Step) {
		if got := texts(t, j, fsm.Origin{Channel: "test"}); len(s.Messages()) > 0 && len(got) != 1 {
			t.Errorf("when the step is seen the journal holds %v", got)
		}
		seen = append(seen, s.Messages()...)
	}
	turn(t, e, says(w))
	here, err := j.Messages(fsm.Origin{Channel: "test", Chat: "t"}, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	there, err := j.Messages(fsm.Origin{Channel: "mail"}, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(here) != 1 || len(there) != 1 {
		t.Fatalf("the journal holds %+v and %+v; want one message each", here, there)
	}
	if diff := cmp.Diff(append(here, there...), seen); diff != "" {
		t.Errorf("messages of the step (-journal +step):\n%s", diff)
	}
	if m := here[0]; m.Text != "one" || m.At != 12 || m.Position != engine.PositionOf(3, 0) {
		t.Errorf("the first message is %+v", m)
	}
	if there[0].Position <= here[0].Position || here[0].Key == there[0].Key {
		t.Errorf("two messages, %+v and %+v, do not have different keys and ascending positions", here[0], there[0])
	}

	j.Crash()
	again, world := start(t, j)
	turn(t, again, fsm.Input{At: 20, Fact: fsm.Boot{Config: talker()}})
	for _, effect := range world.effects {
		if m, ok := effect.(fsm.SendMessage); ok {
			t.Errorf("after a crash %+v is sent again", m)
		}
	}
	if got := append(texts(t, j, fsm.Origin{Channel: "test"}), texts(t, j, fsm.Origin{Channel: "mail"})...); !cmp.Equal(got, []string{"one", "two"}) {
		t.Errorf("after a crash the journal holds %v", got)
	}
}

// A turn that is not written sends nothing.
func TestHND46AMessageOfAnUnwrittenStepIsNotSent(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: talker()}}, fsm.Input{At: 10, Fact: request("a")})
	j.broken = errors.New("the disk is gone")
	if err := e.Turn(says(w)); !errors.Is(err, j.broken) {
		t.Fatal(err)
	}
	if got := texts(t, j, fsm.Origin{Channel: "test"}); got != nil {
		t.Errorf("the journal holds %v", got)
	}
}

func TestTOL9EachEndedToolCallIsAudited(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	for _, in := range answers(fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")}) {
		turn(t, e, in)
	}
	got, err := j.Audit("s", 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	all, err := j.Audit("", 0, 10)
	if err != nil || !cmp.Equal(got, all) {
		t.Errorf("of all sessions there are %+v, %v; want those of the one", all, err)
	}
	if len(got) != 2 || got[0].Tool != "look" || got[1].Tool != "act" || got[1].Result != "result of act" || got[0].Message != "question a" {
		t.Errorf("the audit has %+v; want look and act", got)
	}
	if rest, err := j.Audit("s", got[0].Position, 10); err != nil || len(rest) != 1 || rest[0].Key != got[1].Key {
		t.Errorf("after the first there is %+v, %v; want the second", rest, err)
	}
}
