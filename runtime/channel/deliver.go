package channel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/channel/cut"
	"shelly/runtime/channel/kept"
	"shelly/runtime/comm"
	"shelly/runtime/failpoint"
	"shelly/runtime/inbox"
)

// deliver delivers what is due, one after another, until ctx ends (CHN-6).
func (l *lane) deliver(ctx context.Context) {
	news := l.o.Front.Listen(ctx, fsm.Origin{Channel: l.spec.Name})
	for ctx.Err() == nil {
		did, err := l.next(ctx)
		switch {
		case err != nil:
			l.o.Log.Debug("cannot read now what a channel has to deliver", "channel", l.spec.Name, "error", err)
			pause(ctx, againFirst)
			continue
		case did:
			continue
		}
		select {
		case <-ctx.Done():
		case <-l.woken:
		case _, on := <-news:
			if !on {
				news = nil
			}
		}
	}
}

// next delivers one thing, and reports whether there was one. A message that a request has sent
// goes before the request's answer.
func (l *lane) next(ctx context.Context) (bool, error) {
	l.mu.Lock()
	after := l.done.Messages
	l.mu.Unlock()
	found, err := l.o.Front.Messages(ctx, fsm.Origin{Channel: l.spec.Name}, after, 1)
	if err != nil {
		return false, err
	}
	if len(found) > 0 {
		return true, l.message(ctx, found[0])
	}
	l.mu.Lock()
	var d due
	some := len(l.ready) > 0
	if some {
		d = l.ready[0]
	}
	l.mu.Unlock()
	if !some {
		return false, nil
	}
	if err := l.hand(ctx, d); err != nil {
		return false, err
	}
	l.mu.Lock()
	l.ready[0] = due{}
	l.ready = l.ready[1:]
	l.mu.Unlock()
	return true, nil
}

// message delivers a message to one of the channel's chats.
func (l *lane) message(ctx context.Context, m engine.Message) error {
	out := Outbound{
		ID: idOf("message", l.spec.Name, m.Position, int64(m.At)), Kind: KindMessage,
		Chat: m.To.Chat, Text: m.Text, From: comm.NewMessage(m, false).From,
	}
	if l.spec.Person != nil && !l.Allows(l.spec.Person(out.Chat)) {
		l.o.Log.Error("a message was not sent, because its receiver is not in the channel's allow", "channel", l.spec.Name, "chat", out.Chat)
		l.count(func(s *standing) { s.lost++ })
	} else if !blank(out.Text) && out.Chat != "" {
		if err := l.send(ctx, out); err != nil {
			return err
		}
	}
	err := l.delivered(func(d *kept.Delivered) { d.Messages = m.Position })
	if read := l.o.Front.Read(ctx, []inbox.Mark{{Channel: m.To.Channel, Chat: m.To.Chat, Position: m.Position}}); read != nil {
		l.o.Log.Debug("cannot note that a delivered message is read", "channel", l.spec.Name, "error", read)
	}
	return err
}

// hand delivers an answer, a question or a notice.
func (l *lane) hand(ctx context.Context, d due) error {
	switch {
	case d.tried != nil:
		err := l.once(ctx, d.out)
		if err != nil {
			l.trouble(err, d.out.ID)
		}
		d.tried <- err
		return nil
	case d.kind == KindQuestion:
		if err := l.send(ctx, d.out); err != nil {
			return err
		}
		return l.delivered(func(done *kept.Delivered) { done.Ask(d.out.ID) })
	}
	out, err := l.answer(ctx, d.key, d.index)
	if err != nil {
		return err
	}
	if out.Chat != "" {
		if err := l.send(ctx, out); err != nil {
			return err
		}
	}
	return l.delivered(func(done *kept.Delivered) {
		delete(l.open, d.index)
		done.Answer(d.index, l.settled())
	})
}

// delivered records that something was delivered. If that fails, delivery continues.
func (l *lane) delivered(note func(d *kept.Delivered)) error {
	failpoint.Hit(failpoint.ChannelSent)
	l.mu.Lock()
	l.done.Partly = nil
	note(&l.done)
	l.mu.Unlock()
	_ = l.save() // has said so
	return nil
}

// send sends a message, part by part, until it is accepted or a part of it is refused for good: the
// rest of that would not be understood (CHN-7). An error is ctx's.
func (l *lane) send(ctx context.Context, m Outbound) error {
	text, at := m.Text, 0
	l.mu.Lock()
	if p := l.done.Partly; p != nil && p.ID == m.ID && p.Bytes < len(text) {
		at = p.Bytes
	}
	l.mu.Unlock()
	for {
		end, next := cut.First(text[at:], l.spec.PartBytes)
		part := m
		part.Text, part.More = text[at:at+end], at+next < len(text)
		if at > 0 || part.More {
			part.ID = fmt.Sprintf("%s.%d", m.ID, at)
		}
		if accepted, err := l.insist(ctx, part); err != nil || !accepted || !part.More {
			return err
		}
		at += next
		l.mu.Lock()
		l.done.Partly = &kept.Partly{ID: m.ID, Bytes: at}
		l.mu.Unlock()
		_ = l.save() // has said so
	}
}

// insist sends a part until it is accepted, or false: refused for good.
func (l *lane) insist(ctx context.Context, part Outbound) (accepted bool, err error) {
	for wait := againFirst; ; wait = min(2*wait, againMost) {
		select {
		case <-l.upped: // this attempt shows whether it works
		default:
		}
		failpoint.Hit(failpoint.ChannelSendBefore)
		err := l.once(ctx, part)
		var refused *Refused
		var later *Later
		switch {
		case err == nil:
			l.count(func(s *standing) {
				s.failing = false
				if !part.More {
					s.sent++
				}
			})
			return true, nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		case errors.As(err, &refused):
			l.trouble(err, part.ID)
			l.count(func(s *standing) { s.lost++ })
			l.o.Log.Error("gave up on a message that the other side refuses", "channel", l.spec.Name, "chat", part.Chat, "id", part.ID, "error", err)
			return false, nil
		}
		l.trouble(err, part.ID)
		l.count(func(s *standing) { s.retried++ })
		quiet := wait
		if errors.As(err, &later) {
			quiet = max(wait, min(later.After, laterMost))
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-l.upped:
		case <-time.After(quiet):
		}
	}
}

// laterMost is the longest wait that the other side may ask for.
const laterMost = time.Hour

// sendMax bounds one attempt.
const sendMax = 30 * time.Second

// once is one attempt.
func (l *lane) once(ctx context.Context, m Outbound) error {
	ctx, cancel := context.WithTimeout(ctx, sendMax)
	defer cancel()
	return Guarded(func() error { return l.spec.Channel.Send(ctx, m) })
}
