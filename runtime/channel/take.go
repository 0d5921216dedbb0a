package channel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/channel/gate"
	"shelly/runtime/comm"
	"shelly/runtime/failpoint"
)

// Allows implements [Inbound].
func (l *lane) Allows(sender string) bool { return l.gate.Allows(sender) }

// Typing implements [Inbound] (CHN-35). While one is passed on, others are not: the next one is soon.
func (l *lane) Typing(chat, sender string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.gate.Allows(sender) || l.ctx == nil || l.over || l.typing {
		return
	}
	ctx := l.ctx
	l.typing = true
	l.accepting.Go(func() {
		_, _ = l.o.Front.Typing(ctx, "", fsm.Origin{Channel: l.spec.Name, Chat: chat}) // the message comes anyway
		l.mu.Lock()
		defer l.mu.Unlock()
		l.typing = false
	})
}

// Take implements [Inbound] (CHN-3).
func (l *lane) Take(ctx context.Context, m Message) (Taken, error) {
	if !l.gate.Allows(m.Sender) { // checked before anything else in the message
		return l.refuse(m, NotAllowed), nil
	}
	m.Text = strings.TrimSpace(strings.ToValidUTF8(m.Text, "\ufffd"))
	r := comm.Request{
		Key:    fsm.RequestKey{Principal: Principal, Channel: l.spec.Name, ID: m.ID},
		Origin: fsm.Origin{Channel: l.spec.Name, Chat: m.Chat}, Text: m.Text,
	}
	if m.Text == "" || len(m.Text) > l.spec.TextMax || r.Check() != nil || m.Chat == "" {
		return l.refuse(m, TooLong), nil
	}
	known, is, err := l.o.Front.Request(ctx, r.Key)
	switch {
	case err != nil:
		return Taken{}, err
	case is: // it does not count towards PerMinute
		return l.again(r, known), nil
	case l.spoke(m):
		l.count(func(s *State) { s.Repeated++ })
		return Spoken.taken(), nil
	}
	if verdict := l.pass(m); verdict != NotRefused {
		return verdict.taken(), nil
	}
	if a, is := decision(m.Text); is && l.spec.Decide {
		return l.decide(ctx, m, a)
	}
	open, err := l.questions(ctx, m.Chat)
	if err != nil {
		return Taken{}, err
	}
	if len(open) > 0 && l.spec.Decide && wordless(m.Text) {
		l.remind(m, wordWhich, open)
		return Closed.taken(), nil
	}
	taken, err := l.accept(ctx, m, r)
	if len(open) > 0 && taken.New && !taken.Done {
		l.remind(m, wordWaits, open)
	}
	return taken, err
}

func (r Refusal) taken() Taken { return Taken{Refused: r} }

// again answers a message that was passed in before.
func (l *lane) again(r comm.Request, known engine.Request) Taken {
	if known.Text != r.Text && !known.Forgotten || known.Origin != r.Origin {
		return Conflict.taken()
	}
	l.follow(known)
	l.count(func(s *State) { s.Repeated++ })
	return Taken{ID: known.Key.ID, Done: known.Done}
}

// errOver is the error for a message to a channel that has ended, such as one that a reload has changed.
var errOver = &comm.Problem{Code: comm.CodeStopping, Message: "the channel has ended", Hint: "nothing has happened; send it again"}

// accept makes a durable request from a message.
func (l *lane) accept(ctx context.Context, m Message, r comm.Request) (Taken, error) {
	l.mu.Lock()
	if l.over {
		l.mu.Unlock()
		return Taken{}, errOver
	}
	floor := l.highest
	l.coming[floor]++
	l.accepting.Add(1)
	l.mu.Unlock()
	defer l.accepting.Done()
	defer func() {
		l.mu.Lock()
		if l.coming[floor]--; l.coming[floor] == 0 {
			delete(l.coming, floor)
		}
		l.mu.Unlock()
	}()
	// The caller may go away in between; what is accepted is still followed.
	a, err := l.o.Front.Accept(context.WithoutCancel(ctx), r)
	switch {
	case errors.Is(err, engine.ErrConflict):
		return l.refuse(m, Conflict), nil
	case l.spec.Tells && (errors.Is(err, engine.ErrBusy) || errors.Is(err, engine.ErrNoSpace)):
		return l.refuse(m, Busy), nil
	case err != nil:
		return Taken{}, err
	}
	failpoint.Hit(failpoint.ChannelAccepted)
	l.follow(a.Request)
	if a.New {
		l.count(func(s *State) { s.Received++ })
	}
	return Taken{ID: a.Request.Key.ID, New: a.New, Done: a.Request.Done}, nil
}

// pass counts a message towards its sender's limit.
func (l *lane) pass(m Message) Refusal {
	l.mu.Lock()
	v, first := l.gate.Take(l.o.Now(), m.Sender)
	l.mu.Unlock()
	if v == gate.Passes {
		return NotRefused
	}
	l.count(func(s *State) { s.Refused++ })
	if first {
		l.o.Log.Warn("a sender sends too many messages; some are refused", "channel", l.spec.Name, "sender", m.Sender, "per_minute", l.spec.PerMinute)
		l.tell(m, TooMany)
	}
	return TooMany
}

// refuse notes that a message does not become a request, and tells the chat if that is allowed:
// never a sender that may not talk.
func (l *lane) refuse(m Message, why Refusal) Taken {
	l.count(func(s *State) { s.Refused++ })
	if why != NotAllowed {
		l.tell(m, why)
		return why.taken()
	}
	l.mu.Lock()
	_, first := l.gate.Take(l.o.Now(), m.Sender)
	l.mu.Unlock()
	if first {
		l.o.Log.Warn("a sender who is not allowed has written; such messages are dropped", "channel", l.spec.Name, "sender", m.Sender)
	}
	return why.taken()
}

// tell writes into the chat that a message was not accepted.
func (l *lane) tell(m Message, why Refusal) {
	if !l.spec.Tells || m.Text == "" || m.Chat == "" {
		return
	}
	text := ""
	switch why {
	case TooMany:
		text = say(wordTooMany, "n", strconv.Itoa(l.spec.PerMinute))
	case TooLong:
		text = say(wordTooLong, "n", strconv.Itoa(l.spec.TextMax))
	case Busy:
		text = say(wordBusy)
	case Conflict:
		text = say(wordConflict)
	default:
		return
	}
	l.notice(m.Chat, idOf("notice", m.Chat, m.ID, why), text)
}

// idOf makes a message's id from what the message is about. It contains no secret and no text.
func idOf(kind string, of ...any) string {
	h := sha256.New()
	for _, o := range of {
		fmt.Fprintf(h, "%v\x00", o)
	}
	return kind + "-" + hex.EncodeToString(h.Sum(nil)[:12])
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
