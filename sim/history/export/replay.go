package export

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim/explore"
	"shelly/sim/history"
	"shelly/sim/scenario"
	"shelly/sim/strict"
)

// Replay writes the record as a replay, to the letter: the state before it, each input
// with its time, and the hash of the trace that comes of them (SCN-46).
func (r *Record) Replay() (*File, error) {
	w := scenario.Recorded{Name: r.name(), About: r.about(), Start: r.start(), From: &r.From}
	if r.Steps[0].Index == 1 {
		w.From = nil
	}
	for _, s := range r.Steps {
		w.Told = append(w.Told, explore.Told{At: s.Input.At, Input: s.Input, Words: r.words(s)})
	}
	result := explore.Replay(r.From, w.Told)
	w.Hash = result.Hash()
	if slices.ContainsFunc(result.Replies(), func(q engine.Request) bool { return q.Key == r.Request.Key }) {
		w.Reply = &r.Request
	}
	var b bytes.Buffer
	if err := w.Write(&b); err != nil {
		return nil, err
	}
	file, err := played(b.Bytes())
	if err != nil {
		if large := (*strict.Error)(nil); errors.As(err, &large) && large.Size() && r.forked == 0 && r.unfit() == nil {
			err = fmt.Errorf("%w; --as scenario exports it alone, without the state before it and what ran beside it", err)
		}
		return nil, err
	}
	return file, nil
}

// start is the earliest time of the record: the wall clock may have gone back.
func (r *Record) start() fsm.Millis {
	first := r.Steps[0].Input.At
	for _, s := range r.Steps {
		first = min(first, s.Input.At)
	}
	return first
}

func (r *Record) name() string {
	line, _, _ := strings.Cut(strings.TrimSpace(r.Request.Text), "\n")
	if r.forked > 0 {
		return fmt.Sprintf("%s forked at step %d: %s", r.Name(), r.forked, line)
	}
	return r.Name() + ": " + line
}

// about is what stands above the file.
func (r *Record) about() []string {
	if r.forked > 0 {
		return []string{fmt.Sprintf("A fork at step %d of %s of channel %s: it did not happen so.", r.forked, r.Name(), r.Request.Key.Channel)}
	}
	first, last := r.Steps[0].Index, r.Steps[len(r.Steps)-1].Index
	q := r.Request
	ended := "it has not ended"
	switch {
	case r.Ended && r.Run:
		ended = "it has ended"
	case r.Ended:
		ended = "it ended as " + string(q.Outcome)
	}
	what := fmt.Sprintf("Request %s of channel %s, accepted", q.Key.ID, q.Key.Channel)
	if r.Run {
		what = fmt.Sprintf("Run %s of kind %s, begun", q.Key.ID, q.Key.Channel)
	}
	return []string{
		fmt.Sprintf("%s %s; %s.", what, time.UnixMilli(int64(q.Accepted)).UTC().Format(time.RFC3339), ended),
		fmt.Sprintf("Records %d to %d of the journal; texts in brackets such as [secret-1] stand for secrets.", first, last),
	}
}

// words say what happened at a step: the record, whom it is about, and where it leads.
func (r *Record) words(s history.Step) string {
	text := fmt.Sprintf("record %d", s.Index)
	if r.forked > 0 {
		text = "forked"
	}
	switch {
	case s.About && r.Run:
		text += ", this run"
	case s.About:
		text += ", this request"
	case s.Handle != 0:
		text += fmt.Sprintf(", handle %d", s.Handle)
	}
	text += ": " + fsm.InputKind(s.Input)
	for _, m := range s.Moves {
		if m.Stays() {
			continue
		}
		who := fmt.Sprintf("handle %d", m.Handle)
		if m.Handle == 0 {
			who = m.Table
		}
		text += fmt.Sprintf("; %s %s → %s", who, m.From, m.To)
	}
	return text
}
