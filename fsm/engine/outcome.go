package engine

import (
	"errors"

	"shelly/fsm"
)

// ErrNoEmbedder is what embedding fails with if there is no embedding model: entries are
// then found by their words.
var ErrNoEmbedder = errors.New("there is no embedding model")

// ErrSpared is what embedding fails with if it has to wait so that the chat model stays
// loaded (MEM-11).
var ErrSpared = errors.New("the embedding is postponed, because the server would unload the chat model for it")

// Outcome is the call whose outcome an adapter reports. Its methods are the only way from
// what an adapter returns to the fact that the machine gets.
type Outcome fsm.CallID

func (o Outcome) to() fsm.Answered { return fsm.To(fsm.CallID(o)) }

// Brain returns the outcome of a model call. An error may have a method BrainClass to say
// what kind of failure it is.
func (o Outcome) Brain(answer fsm.BrainAnswered, err error) fsm.Fact {
	if err == nil {
		answer.Answered = o.to()
		return answer
	}
	class := fsm.BrainError
	if typed := (interface{ BrainClass() fsm.BrainClass })(nil); errors.As(err, &typed) {
		class = typed.BrainClass()
	}
	return fsm.BrainFailed{Answered: o.to(), Class: class, Reason: err.Error()}
}

// Tool returns the outcome of a tool. Most failures are in the answer; an error is shelly's
// own.
func (o Outcome) Tool(answer fsm.ToolAnswered, err error) fsm.Fact {
	if err != nil {
		answer = fsm.ToolAnswered{Text: err.Error(), Failed: true}
	}
	answer.Answered = o.to()
	return answer
}

// Probe returns the outcome of asking a tool's probe. A probe that fails is unsure.
func (o Outcome) Probe(said fsm.Probed, err error) fsm.Fact {
	if err != nil {
		said = fsm.Probed{Answer: fsm.ProbeUnsure, Text: err.Error()}
	}
	said.Answered = o.to()
	return said
}

// Recall returns the outcome of a recall.
func (o Outcome) Recall(entries []fsm.Memory, err error) fsm.Fact {
	if err != nil {
		entries = nil
	}
	return fsm.Recalled{Answered: o.to(), Entries: entries, Error: words(err)}
}

// Embed returns the outcome of an embedding.
func (o Outcome) Embed(vector []byte, model string, err error) fsm.Fact {
	if err != nil {
		vector, model = nil, ""
	}
	return fsm.Embedded{Answered: o.to(), Vector: vector, Model: model, Error: words(err)}
}

// Store returns the outcome of storing an entry.
func (o Outcome) Store(err error) fsm.Fact { return fsm.Stored{Answered: o.to(), Error: words(err)} }

// Load returns the outcome of loading a session.
func (o Outcome) Load(session fsm.Session, err error) fsm.Fact {
	if err != nil {
		session = fsm.Session{}
	}
	return fsm.SessionLoaded{Answered: o.to(), Session: session, Error: words(err)}
}

// Save returns the outcome of saving a session. On a conflict, now is the stored session.
func (o Outcome) Save(now fsm.Session, conflict bool, err error) fsm.Fact {
	if err != nil {
		now, conflict = fsm.Session{}, false
	}
	return fsm.SessionSaved{Answered: o.to(), Conflict: conflict, Session: now, Error: words(err)}
}

// Skill returns the outcome of loading a skill.
func (o Outcome) Skill(text string, err error) fsm.Fact {
	if err != nil {
		text = ""
	}
	return fsm.SkillLoaded{Answered: o.to(), Text: text, Error: words(err)}
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
