package channel

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
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

// answer is what a person has typed to answer a question.
type answer struct {
	code, reason string
	approve      bool
}

// decision reads "approve CODE", or "deny CODE" with or without a reason.
func decision(text string) (a answer, is bool) {
	verb, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "/"), " ")
	rest = strings.TrimSpace(rest)
	end := min(2*codeBytes, len(rest))
	a.code, a.approve = strings.ToLower(rest[:end]), strings.EqualFold(verb, "approve")
	after := rest[end:]
	a.reason = strings.TrimLeft(after, " \t\r\n,.:;")
	switch {
	case len(a.code) != 2*codeBytes || strings.Trim(a.code, "0123456789abcdef") != "":
		return a, false
	case a.approve:
		return a, after == ""
	default:
		return a, strings.EqualFold(verb, "deny") && (after == "" || len(a.reason) < len(after))
	}
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
// and where to answer it.
func (l *lane) question(key fsm.RequestKey, e comm.Event) string {
	if e.Question != fsm.QuestionApprove {
		return say(wordHeld, "why", cmp.Or(e.Text, string(e.Question))) + say(wordElsewhere, "verb", "resolve", "id", key.ID)
	}
	text := say(wordApprove, "tool", e.Tool, "args", wording.Clip(wording.Visible(e.Args), argsMax))
	if e.Preview != "" {
		text += say(wordPreview, "preview", wording.Clip(wording.Visible(e.Preview), argsMax))
	}
	if l.spec.Decide {
		return text + say(wordDecide, "code", codeOf(e.Handle, e.Key))
	}
	return text + say(wordElsewhere, "verb", "approve", "id", key.ID)
}

// decide passes on a decision about a request of the chat in which it was made.
func (l *lane) decide(ctx context.Context, m Message, a answer) (Taken, error) {
	all, err := l.o.Front.Standings(ctx)
	if err != nil {
		return Taken{}, err
	}
	text, became := say(wordClosed), Closed
	for _, s := range all {
		if s.Asks == nil || s.Asks.Question != fsm.QuestionApprove || !l.mine(s.Request) || codeOf(s.Handle, s.Asks.Key) != a.code {
			continue
		}
		r, ok, err := l.o.Front.Request(ctx, s.Request)
		if err != nil {
			return Taken{}, err
		}
		if !ok || r.Origin.Chat != m.Chat {
			continue
		}
		taken, err := l.o.Front.Decide(ctx, fsm.Decided{
			Handle: s.Handle, Key: s.Asks.Key, Approve: a.approve, By: wording.Clip(l.spec.Name+":"+m.Sender, comm.ByBytesMax),
			Reason: wording.Clip(a.reason, comm.ReasonBytesMax),
		})
		if err != nil {
			return Taken{}, err
		}
		if taken {
			text, became = say(wordDenied), Spoken
		}
		if taken && a.approve {
			text = say(wordApproved)
		}
		l.o.Log.Info("question answered in a chat", "channel", l.spec.Name, "sender", m.Sender, "approve", a.approve, "taken", taken)
	}
	l.notice(m.Chat, idOf("notice", m.Chat, m.ID, a.code), text)
	return became.taken(), nil
}
