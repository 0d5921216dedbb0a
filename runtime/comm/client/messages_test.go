package client_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/inbox"
)

func sent(position uint64, chat string) engine.Message {
	return engine.Message{Position: position, SendMessage: fsm.SendMessage{Text: "hello", To: fsm.Origin{Channel: "cli", Chat: chat}}}
}

// A follower gets each message once, even across the end of the daemon.
func TestCOM51WhoFollowsMissesNothingAndGetsNothingTwice(t *testing.T) {
	d := newDaemon(t)
	d.front.Send(sent(1, "a"), sent(2, "b"))
	d.onWait = func(n int) {
		switch n {
		case 2: // the first finds nobody
			d.front.Send(sent(4, "a"))
			d.serve()
		default:
		}
	}
	var got []uint64
	enough := errors.New("enough")
	err := d.client.Follow(context.Background(), fsm.Origin{}, 1, func(m comm.Message) error {
		got = append(got, m.Position)
		switch m.Position {
		case 2:
			d.front.Send(sent(3, "a"))
		case 3:
			go d.stop()
		case 4:
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || !slices.Equal(got, []uint64{2, 3, 4}) {
		t.Errorf("got %v, %v; want %v, %+v", got, err, enough, []uint64{2, 3, 4})
	}
	only := []uint64{}
	err = d.client.Follow(context.Background(), fsm.Origin{Channel: "cli", Chat: "b"}, 0, func(m comm.Message) error {
		only = append(only, m.Position)
		return enough
	})
	if !errors.Is(err, enough) || !slices.Equal(only, []uint64{2}) {
		t.Errorf("got %v, %v; want %v, %+v", only, err, enough, []uint64{2})
	}
}

func TestMessagesAreReadAndMarked(t *testing.T) {
	d := newDaemon(t)
	ctx := context.Background()
	d.front.Send(sent(1, "a"), sent(2, "b"), sent(3, "a"))
	if unread, err := d.client.Read(ctx, inbox.Mark{Channel: "cli", Chat: "a", Position: 1}); err != nil || unread.Messages != 2 {
		t.Errorf("got %+v, %v; want Messages 2", unread, err)
	}
	list, err := d.client.Messages(ctx, fsm.Origin{Channel: "cli", Chat: "a"}, 0, 9, false)
	if err != nil || len(list) != 2 || list[0].Unread || !list[1].Unread {
		t.Errorf("got %+v, %v; want 2 of them, not [0].Unread, [1].Unread", list, err)
	}
	if list, err = d.client.Messages(ctx, fsm.Origin{}, 0, 1, true); err != nil || len(list) != 1 || list[0].Position != 2 {
		t.Errorf("got %+v, %v; want 1 of them, [0].Position 2", list, err)
	}
	if last, err := d.client.LastPosition(ctx); err != nil || last != engine.LastOf(0) {
		t.Errorf("got %d, %v; want %d", last, err, engine.LastOf(0))
	}
	d.front.Refuse(engine.ErrNoSpace)
	if err := d.client.Follow(ctx, fsm.Origin{Channel: "NO"}, 0, nil); err == nil {
		t.Errorf("got %v; want an error", err)
	}
}
