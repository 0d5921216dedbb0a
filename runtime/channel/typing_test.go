package channel_test

import (
	"context"
	"testing"
	"testing/synctest"

	"shelly/fsm"
	"shelly/runtime/comm/fronttest"
)

// hesitant is a front that takes its time with who writes.
type hesitant struct {
	*fronttest.Front
	goes chan struct{}
}

func (h hesitant) Typing(ctx context.Context, session string, from fsm.Origin) (bool, error) {
	select {
	case <-h.goes:
		return h.Front.Typing(ctx, session, from)
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// The daemon is told that somebody writes whom it allows, once at a time, and the channel does not wait for it.
func TestCHN35TheDaemonIsToldWhoWrites(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("xmpp")
		slow := hesitant{w.front.Front, make(chan struct{})}
		w.over = slow
		w.with(spec(f))
		in := <-f.in
		f.in <- in
		for _, sender := range []string{"eve", "mia", "tom"} {
			in.Typing(sender, sender)
		}
		synctest.Wait()
		if told := w.front.Seen().Told; len(told) != 0 {
			t.Errorf("told %+v before it could be", told)
		}
		close(slow.goes)
		synctest.Wait()
		in.Typing("tom", "tom")
		synctest.Wait()
		var got []string
		for _, in := range w.front.Seen().Told {
			got = append(got, in.Fact.(fsm.Typing).Session)
		}
		if len(got) != 2 || got[0] != "xmpp:mia" || got[1] != "xmpp:tom" {
			t.Errorf("told of %q; want mia, then tom", got)
		}
	})
}

// A channel that ends does not wait for a daemon that does.
func TestCHN35WhoWritesDelaysNoEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("xmpp")
		w.over = hesitant{w.front.Front, make(chan struct{})}
		w.with(spec(f))
		in := <-f.in
		in.Typing("mia", "mia")
		w.kill() // the test would hang
		in.Typing("mia", "mia")
	})
}
