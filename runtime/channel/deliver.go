package channel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/channel/cut"
	"shelly/runtime/channel/kept"
	"shelly/runtime/clock"
	"shelly/runtime/comm"
	"shelly/runtime/failpoint"
	"shelly/runtime/inbox"
)

// deliver delivers what is due, one after another, until ctx ends (CHN-6).
func (l *lane) deliver(ctx context.Context) {
	news := l.o.Front.Listen(ctx, fsm.Origin{Channel: l.spec.Name})
	for ctx.Err() == nil {
		now := l.o.Now()
		did, err := l.next(ctx, now)
		switch {
		case err != nil:
			l.o.Log.Debug("cannot read now what a channel has to deliver", "channel", l.spec.Name, "error", err)
			_ = clock.Pause(ctx, againFirst) // its end ends the loop
			continue
		case did:
			continue
		}
		var over <-chan time.Time
		if at := l.waits.next(now); !at.IsZero() {
			over = time.After(at.Sub(l.o.Now()))
		}
		select {
		case <-ctx.Done():
		case <-l.woken:
		case <-l.upped:
			l.waits.hurry()
		case <-over:
		case _, on := <-news:
			if !on {
				news = nil
			}
		}
	}
}

// next deals with one thing that need not wait, and reports whether there was one: a try at any
// time; then, if the channel works, what chats that were left behind have missed, then the next
// message, then the rest. So a message that a request has sent goes before the request's answer.
func (l *lane) next(ctx context.Context, now time.Time) (bool, error) {
	if did, err := l.hand(ctx, func(d due) bool { return d.tried != nil }); did || err != nil {
		return did, err
	}
	if !l.works() || l.waits.whole.until.After(now) {
		return false, nil
	}
	for _, chat := range slices.Sorted(maps.Keys(l.delivered().Behind)) {
		if l.waits.may(chat, now) {
			return true, l.missed(ctx, chat)
		}
	}
	found, err := l.o.Front.Messages(ctx, fsm.Origin{Channel: l.spec.Name}, l.delivered().Messages, 1)
	switch {
	case err != nil:
		return false, err
	case len(found) == 0:
	case l.waits.may(found[0].To.Chat, now):
		return true, l.message(ctx, found[0])
	default:
		return l.leave(found[0]), nil
	}
	did, err := l.hand(ctx, func(d due) bool { return l.waits.may(d.chat, now) })
	if !did && err == nil {
		l.waits.drop(now)
		l.count(func(s *State) { s.ChatsWaiting = len(l.waits.chats) })
	}
	return did, err
}

// missed delivers the next message that a chat has missed. Without one it is no longer behind.
func (l *lane) missed(ctx context.Context, chat string) error {
	done := l.delivered()
	found, err := l.o.Front.Messages(ctx, fsm.Origin{Channel: l.spec.Name, Chat: chat}, done.Behind[chat], 1)
	switch {
	case err != nil:
		return err
	case len(found) > 0 && found[0].Position <= done.Messages:
		return l.message(ctx, found[0])
	}
	l.note(func(d *kept.Delivered) { d.Rejoin(chat) })
	return nil
}

// leave leaves behind the chat of a message that has to wait, and reports whether it could: where
// too many are behind, everything waits.
func (l *lane) leave(m engine.Message) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, behind := l.done.Behind[m.To.Chat]; !behind {
		if len(l.done.Behind) >= kept.BehindMax {
			return false
		}
		l.done.Leave(m.To.Chat, l.done.Messages)
	}
	l.done.Messages = m.Position // it is written with the next delivery: until then it would only be passed again
	return true
}

// message delivers a message to one of the channel's chats.
func (l *lane) message(ctx context.Context, m engine.Message) error {
	out := Outbound{
		ID: idOf("message", l.spec.Name, m.Position, int64(m.At)), Kind: KindMessage,
		Chat: m.To.Chat, Text: m.Text, From: comm.NewMessage(m, false).From,
	}
	if l.spec.Person != nil && !l.Allows(l.spec.Person(out.Chat)) {
		l.o.Log.Error("a message was not sent, because its receiver is not in the channel's allow", "channel", l.spec.Name, "chat", out.Chat)
		l.count(func(s *State) { s.Lost++ })
	} else if !blank(out.Text) && out.Chat != "" {
		if done, err := l.send(ctx, out); !done {
			return err
		}
	}
	l.settle(out.ID, func(d *kept.Delivered) { d.Message(m.To.Chat, m.Position) })
	if err := l.o.Front.Read(ctx, []inbox.Mark{{Channel: m.To.Channel, Chat: m.To.Chat, Position: m.Position}}); err != nil {
		l.o.Log.Debug("cannot note that a delivered message is read", "channel", l.spec.Name, "error", err)
	}
	return nil
}

// hand delivers the first answer, question or notice that may be, and reports whether there was
// one.
func (l *lane) hand(ctx context.Context, may func(d due) bool) (bool, error) {
	l.mu.Lock()
	i := slices.IndexFunc(l.ready, may)
	var d due
	if i >= 0 {
		d = l.ready[i]
	}
	l.mu.Unlock()
	if i < 0 {
		return false, nil
	}
	done, err := l.handed(ctx, d)
	if done { // what was added meanwhile is after it
		l.mu.Lock()
		l.ready = slices.Delete(l.ready, i, i+1)
		l.mu.Unlock()
	}
	return true, err
}

// handed delivers an answer, a question or a notice, and reports whether that is done with.
func (l *lane) handed(ctx context.Context, d due) (bool, error) {
	switch {
	case d.tried != nil:
		l.try(ctx, d)
		return true, nil
	case d.once:
		if err := l.once(ctx, d.out); err != nil {
			l.trouble(err, d.out, false)
		}
		return true, nil
	}
	note := func(done *kept.Delivered) { done.Ask(d.out.ID) }
	out := d.out
	if d.kind == KindAnswer {
		var err error
		if out, err = l.answer(ctx, d); err != nil {
			return false, err
		}
		note = func(done *kept.Delivered) {
			delete(l.open, d.index)
			settled, open := l.settled()
			done.Answer(d.index, settled, open)
		}
	}
	if out.Chat != "" {
		if done, err := l.send(ctx, out); !done {
			return false, err
		}
	}
	l.settle(out.ID, note)
	return true, nil
}

// errLate is the error of a try that took too long.
var errLate = errors.New("no answer came in time")

// try sends what somebody waits for.
func (l *lane) try(ctx context.Context, d due) {
	if d.asker.Err() != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.asker, cancel)()
	err := l.once(ctx, d.out)
	if err != nil && d.asker.Err() != nil {
		err = errLate
	}
	if err != nil {
		l.trouble(err, d.out, false)
	}
	d.tried <- err
}

// delivered returns how far the channel has delivered.
func (l *lane) delivered() kept.Delivered {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done
}

// note changes how far the channel has delivered and writes it. If that fails, delivery continues.
func (l *lane) note(change func(d *kept.Delivered)) {
	l.mu.Lock()
	change(&l.done)
	l.mu.Unlock()
	_ = l.save() // has said so
}

// settle notes that a message was delivered.
func (l *lane) settle(id string, change func(d *kept.Delivered)) {
	failpoint.Hit(failpoint.ChannelSent)
	l.note(func(d *kept.Delivered) {
		d.Whole(id)
		change(d)
	})
}

// send sends a message, part by part, until it is accepted or a part of it is refused for good: the
// rest of that would not be understood (CHN-7). It reports whether the message is done with; else it
// has to wait, or ctx has ended, which is the error.
func (l *lane) send(ctx context.Context, m Outbound) (done bool, err error) {
	text, at := m.Text, l.delivered().PartOf(m.ID)
	if at >= len(text) {
		at = 0
	}
	for {
		end, next := cut.First(text[at:], l.spec.PartBytes)
		part := m
		part.Text, part.More = text[at:at+end], at+next < len(text)
		if at > 0 || part.More {
			part.ID = fmt.Sprintf("%s.%d", m.ID, at)
		}
		switch came, err := l.attempt(ctx, part); {
		case came == hasToWait:
			return false, err
		case came == refused || !part.More:
			return true, nil
		}
		at += next
		l.note(func(d *kept.Delivered) { d.Part(m.ID, at) })
	}
}

// outcome is what came of an attempt.
type outcome int

const (
	accepted  outcome = iota
	refused           // for good
	hasToWait         // until it is sent again
)

// attempt sends a part once. An error is ctx's.
func (l *lane) attempt(ctx context.Context, part Outbound) (outcome, error) {
	select {
	case <-l.upped: // this attempt shows whether it works
	default:
	}
	failpoint.Hit(failpoint.ChannelSendBefore)
	err := l.once(ctx, part)
	switch {
	case err == nil:
		l.waits.works(part.Chat)
		l.count(func(s *State) {
			s.ChatsWaiting = len(l.waits.chats)
			if !part.More {
				s.Sent++
			}
		})
		return accepted, nil
	case ctx.Err() != nil:
		return hasToWait, ctx.Err()
	case errors.As(err, new(*Refused)):
		l.waits.works(part.Chat)
		l.trouble(err, part, false)
		l.count(func(s *State) { s.ChatsWaiting, s.Lost = len(l.waits.chats), s.Lost+1 })
		l.o.Log.Error("gave up on a message that the other side refuses", "channel", l.spec.Name, "chat", part.Chat, "id", part.ID, "error", err)
		return refused, nil
	}
	l.trouble(err, part, l.waits.fails(part.Chat, err, l.o.Now()))
	l.count(func(s *State) { s.ChatsWaiting, s.Retried = len(l.waits.chats), s.Retried+1 })
	return hasToWait, nil
}

// sendMax bounds one attempt.
const sendMax = 30 * time.Second

// once is one attempt.
func (l *lane) once(ctx context.Context, m Outbound) error {
	ctx, cancel := context.WithTimeout(ctx, sendMax)
	defer cancel()
	err := Guarded(func() error { return l.spec.Channel.Send(ctx, m) })
	if err == nil || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	late := fmt.Errorf("no answer came within %v", sendMax)
	if errors.As(err, new(*OfChat)) {
		return &OfChat{late}
	}
	return late
}
