package replay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"shelly/fsm"
	"shelly/runtime/ollama"
	"shelly/sim/history/regression"
)

// Client asks a model; [ollama.Client] is one. Its errors have a class.
type Client interface {
	Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(ollama.Chunk)) (fsm.BrainAnswered, error)
	Sends(asked fsm.Options) ollama.Sent
	Thinks() string
}

// Side is a model that is asked.
type Side struct {
	regression.Model
	Client Client
	Repeat int // how many times it is asked each question
}

// key identifies the answer of a side to a question.
func (s Side) key(q regression.Question, run int) Key {
	digest := cmp.Or(s.Digest, s.Name)
	return Key{Question: q.Hash(), Digest: digest, Options: s.Options(), Run: run}
}

// Options returns a hash of what the client sends with the question.
func (s Side) Options() string {
	data, err := json.Marshal(struct {
		Sent  ollama.Sent
		Think string
	}{s.Client.Sends(fsm.Options{}), s.Client.Thinks()})
	if err != nil {
		return "" // cannot happen with these types
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// Work asks questions and keeps the answers. Now is the clock.
type Work struct {
	Answers *Answers
	Tell    *Progress
	Now     func() time.Time
}

// task is one answer to ask for.
type task struct {
	question regression.Question
	key      Key
	tokens   int // of the prompt, estimated
}

// Plan is what to ask of one side. Equal questions are asked once, however many requests asked
// them.
type Plan struct {
	Side   Side
	Kept   int // answers that are kept already
	Tokens int // of the prompts to ask, estimated
	tasks  []task
}

// Ask returns how many answers are to be asked for.
func (p Plan) Ask() int { return len(p.tasks) }

// Plan divides the questions into those that an earlier run has answered and those to ask.
func (w *Work) Plan(questions []regression.Question, side Side) Plan {
	p := Plan{Side: side}
	planned := map[Key]bool{}
	for run := 1; run <= side.Repeat; run++ {
		for _, q := range questions {
			key := side.key(q, run)
			if planned[key] {
				continue
			}
			planned[key] = true
			if _, known := w.Answers.Known(key); known {
				p.Kept++
				continue
			}
			t := task{question: q, key: key, tokens: q.Estimate()}
			p.tasks, p.Tokens = append(p.tasks, t), p.Tokens+t.tokens
		}
	}
	return p
}

// Stopped reports why no further question was asked: the model is not available, or the context
// has ended.
type Stopped struct{ Err error }

func (s Stopped) Error() string { return s.Err.Error() }
func (s Stopped) Unwrap() error { return s.Err }

// Ask asks a plan's questions one after the other. A question that fails on its own is recorded
// as failed; if any other would fail too, the error is a [Stopped].
func (w *Work) Ask(ctx context.Context, p Plan) error {
	pace := regression.Pace{}
	left := p.Tokens
	for n, t := range p.tasks {
		if ctx.Err() != nil {
			return Stopped{ctx.Err()}
		}
		answer, first, err := w.ask(ctx, p.Side, t)
		if err != nil {
			return Stopped{err}
		}
		if err := w.Answers.Add(answer); err != nil {
			return err
		}
		left -= t.tokens
		if answer.Answer != nil {
			pace.Take(t.tokens, answer.Spent(), first)
		}
		same := regression.Compare(t.question.Recorded(), answer.Decision(t.question)).Class == regression.Same
		w.Tell.answered(n+1, len(p.tasks), same, &pace, pace.Left(len(p.tasks)-n-1, left))
	}
	return nil
}

// ask asks one question. First is how long its first piece took, 0 if none came.
func (w *Work) ask(ctx context.Context, side Side, t task) (a Answer, first fsm.Millis, err error) {
	began := w.Now()
	since := func() fsm.Millis { return fsm.Millis(w.Now().Sub(began).Milliseconds()) }
	in, err := side.Client.Chat(ctx, t.question.Ask, t.question.Tools, func(c ollama.Chunk) {
		if first == 0 && c.Stage == "" {
			first = max(since(), 1)
		}
	})
	a = Answer{Key: t.key, Model: side.Name, At: fsm.Millis(w.Now().UnixMilli()), Took: since()}
	if err == nil {
		in.Thinking = "" // it is not part of the decision
		a.Answer = &in
		return a, first, nil
	}
	failed := (*ollama.Error)(nil)
	if ctx.Err() != nil || !errors.As(err, &failed) || everyOther(failed.Class) {
		return Answer{}, 0, err
	}
	a.Class, a.Reason = failed.Class, failed.Reason
	return a, 0, nil
}

// everyOther reports whether every other question would fail too.
func everyOther(class fsm.BrainClass) bool {
	switch class {
	case fsm.BrainUnreachable, fsm.BrainLoading, fsm.BrainBusy, fsm.BrainMissingModel, fsm.BrainNoTools, fsm.BrainNoChat, fsm.BrainCancelled:
		return true
	default:
		return false
	}
}

// Fill adds to a report each question to which both sides have all answers. Against is nil if
// the side is compared with the recorded answers. It returns how many questions are left.
func (w *Work) Fill(r *regression.Report, questions []regression.Question, side Side, against *Side) (left int) {
	for _, q := range questions {
		held, before := q.Recorded(), regression.Cost(q.Answer, q.Took)
		var runs []regression.Run
		for run := 1; run <= side.Repeat; run++ {
			if a, ok := w.Answers.Get(side.key(q, run)); ok {
				runs = append(runs, regression.Run{Decision: a.Decision(q), Spent: a.Spent()})
			}
		}
		whole := len(runs) == side.Repeat
		if against != nil {
			a, ok := w.Answers.Get(against.key(q, 1))
			held, before, whole = a.Decision(q), a.Spent(), whole && ok
		}
		if !whole {
			left++
			continue
		}
		r.Add(q, held, before, runs)
	}
	return left
}
