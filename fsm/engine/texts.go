package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"shelly/fsm"
)

// Text is a result that is kept whole. It is written in the batch of the step that takes
// it, and so is exactly as durable as the record that names it (TXT-3).
type Text struct {
	TextKey
	At   fsm.Millis `json:"at"`
	Body string     `json:"body"`
}

// TextKey names a text: whose it is, and its content.
type TextKey struct {
	Owner string `json:"owner"`
	Ref   string `json:"ref"`
}

// Texts is the part of a [Journal] that reads kept texts.
type Texts interface {
	Text(key TextKey) (string, bool, error)
}

// Names are the texts that an owner still names; its others go (TXT-8).
type Names struct {
	Owner string
	Refs  []string
}

// refBytes is how many bytes of a content's SHA-256 name it.
const refBytes = 16

// TextOf returns a text as an owner keeps it.
func TextOf(owner, text string) Text {
	sum := sha256.Sum256([]byte(text))
	return Text{TextKey: TextKey{owner, hex.EncodeToString(sum[:refBytes])}, Body: text}
}

// admit cuts a tool's answer to its share, if it is longer or to be kept, and holds the
// whole for the step that takes the answer (TXT-2). An answer that names a text already,
// such as a recorded one, stays as it is.
func (e *Engine) admit(keep fsm.Keep, fact fsm.Fact) fsm.Fact {
	answer, ok := fact.(fsm.ToolAnswered)
	if !ok || answer.Kept != (fsm.Kept{}) {
		return fact
	}
	whole := answer.Text
	if answer.Text, answer.Kept, ok = keep.Admit(whole); !ok {
		return fact
	}
	text := TextOf(keep.Owner, whole)
	answer.Kept.Ref = text.Ref
	if e.untaken == nil {
		e.untaken = map[fsm.CallID]Text{}
	}
	e.untaken[answer.Call] = text
	return answer
}

// taken returns the text whose answer a step has taken, if any.
func (e *Engine) taken(in fsm.Input) []Text {
	t, ok := e.untaken[fsm.Answers(in)]
	if !ok {
		return nil
	}
	delete(e.untaken, fsm.Answers(in))
	t.At = in.At
	return []Text{t}
}

// names returns which texts of its session a save still names.
func (s Step) names() []Names {
	var list []Names
	for _, e := range s.Effects {
		if e, ok := e.(fsm.SaveSession); ok && e.State.LastText > 0 {
			n := Names{Owner: fsm.SessionOwner(e.Session)}
			for _, t := range e.State.Texts {
				n.Refs = append(n.Refs, t.Ref)
			}
			list = append(list, n)
		}
	}
	return list
}

// owners returns the unfinished handles as owners of texts.
func (e *Engine) owners() []string {
	var list []string
	for i := range e.machine.View().Handles {
		list = append(list, fsm.HandleOwner(e.machine.View().Handles[i].ID))
	}
	return list
}

// Read returns the outcome of reading on in a kept text, which may be gone.
func Read(from Texts, e fsm.ReadText) fsm.Fact {
	whole, there, err := from.Text(TextKey{Owner: e.Owner, Ref: e.Ref})
	if err != nil || !there {
		return fsm.TextRead{Answered: fsm.To(e.Call), Gone: err == nil, Error: words(err)}
	}
	piece, at := fsm.Piece(whole, e.From, e.Tokens)
	return fsm.TextRead{Answered: fsm.To(e.Call), Text: piece, From: at}
}

// Forgets reports whether a text goes: it is old, or belongs to a finished handle.
func (k Keep) Forgets(t Text) bool {
	return t.At < k.Since || strings.HasPrefix(t.Owner, fsm.HandleOwners) && !slices.Contains(k.Owners, t.Owner)
}
