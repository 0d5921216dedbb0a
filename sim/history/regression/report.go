package regression

import (
	"cmp"
	"slices"
	"strconv"

	"shelly/fsm"
)

// Version is that of the report's JSON.
const Version = 1

// Report is what a model decided differently (CLI-24). Cases, and the lists of Totals, are
// in a fixed order, so that one journal and the same answers give the same report but
// for times.
type Report struct {
	Version     int      `json:"version"`
	Model       Model    `json:"model"`
	Against     *Model   `json:"against,omitempty"` // another model; absent: the recorded answers
	Set         []string `json:"set,omitempty"`     // what was changed, KEY=VALUE
	Repeat      int      `json:"repeat"`            // how often the model was asked each question
	Questions   int      `json:"questions"`         // that were to be asked
	Kept        int      `json:"kept"`              // answers that an earlier run had
	Left        int      `json:"left"`              // questions that were not come to
	Unanswered  int      `json:"unanswered"`        // questions without a recorded answer
	Unasked     []Unheld `json:"unasked,omitempty"` // that the changed prompts cannot ask
	Interrupted string   `json:"interrupted,omitempty"`
	Cases       []Case   `json:"cases"`
	Totals      Totals   `json:"totals"`
}

// Model is one that was asked.
type Model struct {
	Name   string `json:"name"`
	Digest string `json:"digest,omitempty"` // of its manifest, in hex
	Server string `json:"server"`
}

// Case is one question with its decisions.
type Case struct {
	Request  string       `json:"request,omitempty"` // absent: its handle came of no request
	Channel  string       `json:"channel,omitempty"`
	Session  string       `json:"session,omitempty"`
	Handle   fsm.HandleID `json:"handle"`
	Kind     fsm.Kind     `json:"kind"`
	Step     int          `json:"step,omitempty"` // of the request, as request show counts
	Record   uint64       `json:"record"`         // of the recorded answer
	Purpose  fsm.Purpose  `json:"purpose"`
	Question string       `json:"question"`       // Question.Hash
	Model    fsm.Model    `json:"model,omitzero"` // that gave the recorded answer, as far as the record says
	Against  Decision     `json:"against"`
	Runs     []Run        `json:"runs"`
	Class    Class        `json:"class"` // the most frequent of the runs; of two the worse
	Same     int          `json:"same"`  // runs that decide the same as Against
	First    bool         `json:"first"` // the first difference of its request: what follows was asked with another's history

	before Spent
}

// Run is one answer of the model.
type Run struct {
	Decision Decision `json:"decision"`
	Difference
	Spent
}

// Spent is what one answer took.
type Spent struct {
	Prompt int        `json:"prompt_tokens"`
	Answer int        `json:"answer_tokens"`
	Took   fsm.Millis `json:"took_ms"`
}

// Cost is what an answer of the model took.
func Cost(in fsm.BrainAnswered, took fsm.Millis) Spent {
	return Spent{Prompt: in.Tokens.Prompt, Answer: in.Tokens.Answer, Took: took}
}

// Add adds a question, what it is held against and what came of it: at least one run,
// whose Difference Add fills in.
func (r *Report) Add(q Question, against Decision, before Spent, runs []Run) {
	c := Case{
		Request: q.Request.ID, Channel: q.Request.Channel, Session: q.Session, Handle: q.Handle, Kind: q.Kind,
		Step: q.Step, Record: q.Answered, Purpose: q.Ask.Purpose, Question: q.Hash(), Model: q.Answer.Model,
		Against: against, Runs: runs, Class: Same, before: before,
	}
	count := map[Class]int{}
	for i := range c.Runs {
		c.Runs[i].Difference = Compare(against, c.Runs[i].Decision)
		count[c.Runs[i].Class]++
	}
	for _, class := range Classes() {
		if count[class] > 0 && count[class] >= count[c.Class] {
			c.Class = class
		}
	}
	c.Same = count[Same]
	r.Cases = append(r.Cases, c)
}

// asker names what asked: the request, its subagents included, or a handle of none.
func (c Case) asker() [3]string {
	if c.Request == "" {
		return [3]string{"", "", strconv.FormatUint(uint64(c.Handle), 10)}
	}
	return [3]string{c.Request, c.Channel, ""}
}

// Differs reports whether any run decides differently.
func (c Case) Differs() bool { return c.Same < len(c.Runs) }

// worst is where the case's class stands among all, from alike to worst.
func (c Case) worst() int { return slices.Index(Classes(), c.Class) }

// Sort puts the differences first, the worst of them first, else in the order of the
// records.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Cases, func(a, b Case) int {
		return cmp.Or(cmp.Compare(truth(b.Differs()), truth(a.Differs())), cmp.Compare(b.worst(), a.worst()), cmp.Compare(a.Record, b.Record))
	})
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
