package ask

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/inbox"
)

// letters is a mailbox with n waiting messages, and one that comes after them.
type letters struct {
	waiting int
	read    []inbox.Mark
	out     bytes.Buffer
}

func letter(position uint64) comm.Message {
	return comm.Message{
		Message: engine.Message{Position: position, SendMessage: fsm.SendMessage{Session: "schedule:s1", To: fsm.Origin{Channel: "cli", Chat: "direct"}, Text: "Water the\x1b[2J plants."}},
		From:    comm.FromSchedule, Unread: true,
	}
}

func (l *letters) LastPosition(context.Context) (uint64, error) { return 7, nil }

func (l *letters) Messages(context.Context, fsm.Origin, uint64, int, bool) ([]comm.Message, error) {
	return make([]comm.Message, l.waiting), nil
}

func (l *letters) Follow(ctx context.Context, _ fsm.Origin, after uint64, each func(comm.Message) error) error {
	return each(letter(after + 1))
}

func (l *letters) Read(_ context.Context, marks ...inbox.Mark) (comm.Unread, error) {
	l.read = append(l.read, marks...)
	return comm.Unread{}, nil
}

func TestCLI141MessagesAreShownAsTheyCome(t *testing.T) {
	for waiting, head := range map[int]string{0: "", 1: "· 1 unread message: see shelly messages", unreadShown: "· more than 100 unread messages: see shelly messages"} {
		l := &letters{waiting: waiting}
		hearing{to: comm.ChatOf("", ""), w: &watching{t: &terminal.Terminal{Out: &l.out, Err: &l.out}}, daemon: l}.run(t.Context())
		if !strings.HasPrefix(l.out.String(), head) || !strings.Contains(l.out.String(), "schedule s1 to cli:direct\n  Water the\\x1b[2J plants.\n") {
			t.Errorf("%d wait:\n%s", waiting, l.out.String())
		}
		// What waits was not shown, and a mark after it would hide it.
		if marked := len(l.read) == 1 && l.read[0] == (inbox.Mark{Channel: "cli", Chat: "direct", Position: 8}); marked != (waiting == 0) {
			t.Errorf("%d wait: read %+v", waiting, l.read)
		}
	}
}
