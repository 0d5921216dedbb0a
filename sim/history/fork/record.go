package fork

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/sim/history"
	"shelly/sim/history/regression"
)

// What a tool call that is not run in a fork fails with.
const (
	NotRecorded = "refused in a fork: this call is not in the record"
	NoResult    = "refused in a fork: the record has no further result of this call"
)

// record is what the world answered to a request, by what was asked of it.
type record struct{ entries []entry }

// entry is one thing that was asked, and its answer.
type entry struct {
	asked  string // what, see named
	call   fsm.CallID
	handle fsm.HandleID
	key    string    // of what a person was asked
	answer fsm.Input // without a fact: none came
	used   bool
}

// newRecord reads the steps of a request. What was answered up to the n-th step is used
// already.
func newRecord(steps []history.Step, n int) *record {
	r := &record{}
	for _, s := range steps {
		r.answered(s, s.N <= n)
		for _, e := range s.Effects {
			if asked, call := named(e); asked != "" {
				r.entries = append(r.entries, entry{asked: asked, call: call, handle: fsm.HandleOf(e), key: personKey(e)})
			}
		}
	}
	return r
}

// answered notes what a step answers: a call, but for the stop of a tool, which is no
// result, or a person's question.
func (r *record) answered(s history.Step, used bool) {
	call := fsm.Answers(s.Input)
	if fsm.InputKind(s.Input) == fsm.InputKind(fsm.Input{Fact: fsm.ToolStopped{}}) || call == 0 && !personal(s.Input) {
		return
	}
	decided, _ := s.Input.Fact.(fsm.Decided)
	key := decided.Key
	for i := len(r.entries) - 1; i >= 0; i-- {
		e := &r.entries[i]
		person := call == 0 && e.key != "" && e.handle == s.Handle && (key == "" || e.key == key)
		if e.answer.Fact == nil && s.About && (call != 0 && e.call == call || person) {
			e.answer, e.used = s.Input, used
			return
		}
	}
}

// personal reports whether an input is a person's answer to a question.
func personal(in fsm.Input) bool {
	_, decided := in.Fact.(fsm.Decided)
	_, resolved := in.Fact.(fsm.Resolved)
	return decided || resolved
}

// next takes the next answer to what is asked. Where again is set and there is no next one,
// it is the last one once more. Known reports whether it was asked at all.
func (r *record) next(asked string, again bool) (answer fsm.Fact, known bool) {
	last := -1
	for i := range r.entries {
		e := &r.entries[i]
		if e.asked != asked {
			continue
		}
		known = true
		if e.answer.Fact == nil {
			continue
		}
		if !e.used {
			e.used = true
			return e.answer.Fact, true
		}
		last = i
	}
	if again && last >= 0 {
		return r.entries[last].answer.Fact, true
	}
	return nil, known
}

// askedBy names what a call of the record asked; empty where there is none.
func (r *record) askedBy(call fsm.CallID) string {
	i := slices.IndexFunc(r.entries, func(e entry) bool { return call != 0 && e.call == call })
	if i < 0 {
		return ""
	}
	return r.entries[i].asked
}

// named names what an effect asks of the world, so that asking the same has the same name;
// empty where it is nothing that the record answers.
func named(e fsm.Effect) (string, fsm.CallID) {
	if ask, ok := e.(fsm.AskPerson); ok {
		return name(string(ask.Question), ask.Tool, regression.Canonical(ask.Args)), 0
	}
	asked := questions.Do(struct{}{}, e)
	if asked == "" {
		return "", 0
	}
	return asked, fsm.CallOf(e)
}

// questions names what each kind of call asks; what is written has no name.
var questions = fsm.NewCallTable(
	fsm.OnEffect(func(_ struct{}, e fsm.RunTool) string { return name("tool", e.Name, regression.Canonical(e.Args)) }),
	fsm.OnEffect(func(_ struct{}, e fsm.Recall) string {
		own := ""
		if e.Own {
			own = e.Session
		}
		return name("recall", e.Need, own)
	}),
	fsm.OnEffect(func(_ struct{}, e fsm.LoadSession) string { return name("session", e.Session) }),
	fsm.OnEffect(func(_ struct{}, e fsm.LoadSkill) string { return name("skill", e.Skill, e.Reference) }),
	fsm.OnEffect(func(_ struct{}, e fsm.RunProbe) string { return name("probe", e.Name, regression.Canonical(e.Args)) }),
	fsm.OnEffect(func(_ struct{}, e fsm.ReadText) string { return name("text", e.Ref, strconv.Itoa(e.From)) }),
	fsm.OnEffect(func(_ struct{}, e fsm.Embed) string { return name("embed", e.Text) }),
	fsm.OnEffect(func(struct{}, fsm.AskBrain) string { return "" }), // the model is asked
	fsm.OnEffect(func(struct{}, fsm.SaveSession) string { return "" }),
	fsm.OnEffect(func(struct{}, fsm.Store) string { return "" }),
)

func name(parts ...string) string { return strings.Join(parts, "\x00") }

func personKey(e fsm.Effect) string {
	if ask, ok := e.(fsm.AskPerson); ok {
		return ask.Key
	}
	return ""
}
