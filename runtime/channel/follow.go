package channel

import (
	"context"

	"shelly/fsm/engine"
	"shelly/runtime/clock"
	"shelly/runtime/comm"
)

// follow delivers the answer of a request once it comes. Following a request again has no
// effect.
func (l *lane) follow(r engine.Request) {
	l.mu.Lock()
	ctx := l.ctx
	if l.open[r.Index] || l.done.Has(r.Index) {
		l.mu.Unlock()
		return
	}
	l.open[r.Index] = true
	l.highest = max(l.highest, r.Index)
	l.mu.Unlock()
	if r.Done {
		l.answered(r)
		return
	}
	go func() {
		var closed string
		for !l.watch(ctx, r, &closed) {
			if clock.Pause(ctx, againFirst) != nil {
				return
			}
		}
	}()
}

// watch waits for the answer of a request, and reports whether it has come. Closed names the last
// question whose end the chat was told: another watch begins with what was told before.
func (l *lane) watch(ctx context.Context, r engine.Request, closed *string) bool {
	events, err := l.o.Front.Watch(ctx, r.Key)
	if err != nil {
		return false
	}
	var asked comm.Event // the question that is open, as far as this watch has heard it
	for e := range events {
		switch e.Type {
		case comm.EventQuestion:
			asked = e
			l.ask(r.Key, e)
		case comm.EventState:
			if e.Decision != nil && *closed != string(asked.Question)+asked.Key {
				*closed = string(asked.Question) + asked.Key
				l.decided(r, asked, *e.Decision)
			}
		case comm.EventReply:
			l.answered(r)
			return true
		}
	}
	return false
}

func (l *lane) answered(r engine.Request) {
	l.push(due{kind: KindAnswer, chat: r.Origin.Chat, index: r.Index, key: r.Key})
}

// answer reads the answer of a request.
func (l *lane) answer(ctx context.Context, d due) (Outbound, error) {
	r, ok, err := l.o.Front.Request(ctx, d.key)
	if err != nil {
		return Outbound{}, err
	}
	out := Outbound{Kind: KindAnswer, ID: idOf("re", d.key.Channel, d.key.ID, d.index, int64(r.Accepted)), Chat: d.chat, Re: d.key.ID, Text: r.Reply, Failed: r.IsError}
	switch {
	case !ok || r.Forgotten:
		out.Text = say(wordLost)
	case blank(out.Text):
		out.Text = say(wordEmpty)
	}
	return out, nil
}
