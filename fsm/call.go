package fsm

import "slices"

// Answers returns the call that an input answers, or 0.
func Answers(in Input) CallID {
	if a, ok := in.Fact.(Answer); ok {
		return a.CallOf()
	}
	return 0
}

// HandleOf returns the handle that an effect is for, or 0 if it is for none or names only a
// call or a timer.
func HandleOf(e Effect) HandleID {
	if of := effects[e.kind()].handle; of != nil {
		return of(e)
	}
	return 0
}

// CallOf returns the call that an effect makes, or 0. [Answers] returns the same for the
// input that answers it.
func CallOf(e Effect) CallID {
	if c, ok := e.(Call); ok {
		return c.Identity().Call
	}
	return 0
}

// CallKindOf returns the kind of call that an effect is, or "" if it is not a call.
func CallKindOf(e Effect) CallKind { return effects[e.kind()].call }

// CallsAnsweredBy returns the kinds of call that a fact may answer, the one that it is made
// for first, or nil if it is not an answer.
func CallsAnsweredBy(f Fact) []CallKind { return facts[kindOf(f)].answers }

// AnswersKind reports whether a fact may answer a call of a kind.
func AnswersKind(f Fact, kind CallKind) bool {
	return slices.Contains(facts[kindOf(f)].answers, kind)
}

// AnswerTo returns f as the answer to a call. A fact that is not an answer is returned
// unchanged.
func AnswerTo(call CallID, f Fact) Fact {
	if to := facts[kindOf(f)].to; to != nil {
		return to(f, call)
	}
	return f
}

// PlainAnswer returns what an empty world answers to a call: the memory finds nothing, the
// session is new, a tool returns nothing.
func PlainAnswer(call CallID, kind CallKind) Fact { return AnswerTo(call, answersTo(kind).plain) }

// FailedAnswer returns the answer to a call that fails for the given reason.
func FailedAnswer(call CallID, kind CallKind, why string) Fact {
	return AnswerTo(call, answersTo(kind).fails(why))
}

func answersTo(kind CallKind) callSpec {
	i := slices.IndexFunc(calls, func(c callSpec) bool { return c.kind == kind })
	return calls[i]
}

// InputKind returns an input's kind as the wire form names it.
func InputKind(in Input) string { return facts[kindOf(in.Fact)].name }

// EffectKind returns an effect's kind as the wire form names it.
func EffectKind(e Effect) string { return effects[e.kind()].name }

// HashEffects returns the hash of the effects of one step. The journal keeps it with the
// input, so that a replay detects code that decides differently.
func HashEffects(effects []Effect) uint64 {
	x := NewHasher(0)
	for _, e := range effects {
		x.Str(EffectKind(e))
		e.hash(&x)
	}
	return x.Sum()
}
