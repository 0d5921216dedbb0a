package channel

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
)

// codeBytes is the length of a code in bytes; two hexadecimal digits are one byte.
const codeBytes = 3

// codeOf returns the code of an open question in a chat. It depends on the tool call, so that a
// late answer cannot apply to a later call.
func codeOf(handle fsm.HandleID, key string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", handle, key))
	return hex.EncodeToString(sum[:codeBytes])
}

// argsMax is the most bytes of a call's arguments that a question shows.
const argsMax = 1000

// ask puts a question to the chat of a request, once (CHN-10).
func (l *lane) ask(key fsm.RequestKey, e comm.Event) {
	id := idOf("question", key.Channel, key.ID, e.Handle, e.Key, e.Question)
	l.mu.Lock()
	known := slices.Contains(l.done.Asked, id) || slices.ContainsFunc(l.ready, func(d due) bool { return d.out.ID == id })
	ctx := l.ctx
	l.mu.Unlock()
	if known {
		return
	}
	r, ok, err := l.o.Front.Request(ctx, key)
	if err != nil || !ok {
		return // it is not asked in the chat
	}
	l.push(due{kind: KindQuestion, chat: r.Origin.Chat, out: Outbound{
		ID: id, Kind: KindQuestion, Chat: r.Origin.Chat, Re: key.ID, Text: l.question(key, e),
	}})
}

// question words a question to a person, with what is run in the order in which it is read (APR-22),
// why the tool asks if it does so itself (APR-19), and where to answer it.
func (l *lane) question(key fsm.RequestKey, e comm.Event) string {
	if e.Question != fsm.QuestionApprove {
		return say(wordHeld, "why", cmp.Or(wording.Visible(e.Text), string(e.Question))) + l.where(key, e.Question, e.Handle, e.Key)
	}
	text := say(wordApprove, "tool", e.Tool, "args", wording.Part(wording.Visible(e.Args), argsMax))
	if e.Text != "" {
		text += say(wordReason, "why", wording.Part(wording.Visible(e.Text), argsMax))
	}
	if e.Preview != "" {
		text += say(wordPreview, "preview", wording.Part(wording.Visible(e.Preview), argsMax))
	}
	return text + l.where(key, e.Question, e.Handle, e.Key)
}

// where is the line that says where a question is answered.
func (l *lane) where(key fsm.RequestKey, q fsm.Question, handle fsm.HandleID, call string) string {
	switch {
	case q != fsm.QuestionApprove:
		return say(wordElsewhere, "verb", "resolve", "id", wording.ShellArgument(key.ID))
	case l.spec.Decide:
		return say(wordDecide, "code", codeOf(handle, call))
	}
	return say(wordElsewhere, "verb", "approve", "id", wording.ShellArgument(key.ID))
}

// questions returns the requests of a chat about which a person is asked.
func (l *lane) questions(ctx context.Context, chat string) ([]comm.Standing, error) {
	all, err := l.o.Front.Standings(ctx)
	if err != nil {
		return nil, err
	}
	var open []comm.Standing
	for _, s := range all {
		if s.Asks == nil || !l.mine(s.Request) {
			continue
		}
		r, ok, err := l.o.Front.Request(ctx, s.Request)
		if err != nil {
			return nil, err
		}
		if ok && r.Origin.Chat == chat {
			open = append(open, s)
		}
	}
	return open, nil
}

// decided says in the chat of a request how a question there has ended that was not answered in it
// (APR-24).
func (l *lane) decided(r engine.Request, asked comm.Event, d comm.Decision) {
	if l.spec.Decide && strings.HasPrefix(d.By, l.spec.Name+":") { // whoever it was, the chat was told (CHN-10)
		return
	}
	text := say(wordEnded, "tool", cmp.Or(asked.Tool, "it"), "how", d.Words())
	l.notice(r.Origin.Chat, idOf("notice", r.Key.Channel, r.Key.ID, asked.Handle, asked.Key, "ended"), text)
}

// remind says in a chat which questions are open there and where they are answered, below what a
// word says of the message (CHN-12).
func (l *lane) remind(m Message, w word, open []comm.Standing) {
	text := say(w)
	for _, s := range open {
		text += l.where(s.Request, s.Asks.Question, s.Handle, s.Asks.Key)
	}
	l.notice(m.Chat, idOf("notice", m.Chat, m.ID, "open"), text)
}

// spokenMax is how many messages are known that have decided, should they be delivered again.
const spokenMax = 256

// decisionOf names a message that may decide by all that it is.
func decisionOf(m Message) string { return idOf("decision", m.ID, m.Chat, m.Sender, m.Text) }

// speak notes that a message has decided.
func (l *lane) speak(m Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spoken = append(l.spoken[max(0, len(l.spoken)+1-spokenMax):], decisionOf(m))
}

// spoke reports whether a message is one that has decided and is delivered again. The question is no longer
// open then, but its sender and the chat were told how it ended, or will be.
func (l *lane) spoke(m Message) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.spoken) > 0 && slices.Contains(l.spoken, decisionOf(m))
}

// decide passes on a decision about a request of the chat in which it was made.
func (l *lane) decide(ctx context.Context, m Message, a answer) (Taken, error) {
	open, err := l.questions(ctx, m.Chat)
	if err != nil {
		return Taken{}, err
	}
	text, became := say(wordClosed), Closed
	reason := a.reason
	if len(reason) > comm.ReasonBytesMax {
		reason = wording.Clip(reason, comm.ReasonBytesMax-len("…"))
	}
	for _, s := range open {
		if s.Asks.Question != fsm.QuestionApprove || codeOf(s.Handle, s.Asks.Key) != a.code {
			continue
		}
		taken, err := l.o.Front.Decide(ctx, fsm.Decided{
			Handle: s.Handle, Key: s.Asks.Key, Approve: a.approve, By: wording.Clip(l.spec.Name+":"+m.Sender, comm.ByBytesMax),
			Reason: reason,
		})
		if err != nil {
			return Taken{}, err
		}
		if taken {
			l.speak(m)
			text, became = say(wordDenied), Spoken
			if reason != a.reason {
				text += say(wordCut, "n", strconv.Itoa(comm.ReasonBytesMax))
			}
		}
		if taken && a.approve {
			text = say(wordApproved)
		}
		l.o.Log.Info("question answered in a chat", "channel", l.spec.Name, "sender", m.Sender, "approve", a.approve, "taken", taken)
	}
	l.notice(m.Chat, idOf("notice", m.Chat, m.ID, a.code), text)
	return became.taken(), nil
}
