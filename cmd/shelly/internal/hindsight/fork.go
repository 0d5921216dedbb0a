package hindsight

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/daemon"
	"shelly/runtime/front/wire"
	"shelly/runtime/misfit"
	"shelly/sim/history"
	"shelly/sim/history/fork"
)

// Bounds of a fork's answer.
const (
	forkStepsMax  = 500
	forkTextMax   = 2000
	forkEffectMax = 100 // of one step
)

// ForkBody compares what would have happened with what did (COM-75).
type ForkBody struct {
	At       int            `json:"at"`
	Recorded []Told         `json:"recorded"`          // from the forked step on
	Fork     []Told         `json:"fork"`              // from the forked step on
	Parted   int            `json:"parted"`            // how many steps of the fork match the record before the two differ; -1: they never do
	Replies  Replies        `json:"replies"`           // in the record and in the fork
	Refused  []fork.Refusal `json:"refused,omitempty"` // tool calls that the record does not have: nothing is executed
	Stands   string         `json:"stands,omitempty"`  // why it stopped before its end
	Cut      bool           `json:"cut,omitempty"`     // it did not end within the limits
	Brain    string         `json:"brain,omitempty"`   // what answered; absent: the model was not asked
	Asked    int            `json:"asked"`             // number of questions to it
	TookMS   int64          `json:"took_ms"`           // total time of these questions
	Broken   []string       `json:"broken,omitempty"`  // invariants
}

// Told is a step in words.
type Told struct {
	N       int         `json:"n"`
	What    string      `json:"what"`
	Effects []string    `json:"effects,omitempty"` // without bookkeeping, see [history.Minor]
	Source  fork.Source `json:"source,omitempty"`  // for a step of a fork
}

// Replies are the replies in the record and in the fork; nil: there is none, in the fork none
// from the changed step on.
type Replies struct {
	Recorded *Reply `json:"recorded"`
	Fork     *Reply `json:"fork"`
}

// Reply is the reply to a request.
type Reply struct {
	Text    string      `json:"text"`
	IsError bool        `json:"is_error,omitempty"`
	Outcome fsm.Outcome `json:"outcome"`
}

// postFork answers what would have happened (COM-75).
func (h *hindsight) postFork(w http.ResponseWriter, r *http.Request) error {
	data, err := comm.Body(w, r, bodyBytes)
	if err != nil {
		return err
	}
	in, err := forkOf(data)
	if err != nil {
		return &comm.Problem{Code: comm.CodeBadRequest, Message: "the body is not one JSON object with at and edits: " + err.Error(), Hint: `send {"at": 4, "edits": {"result": "no such file"}}`}
	}
	release, err := turn(h.forks, "a fork")
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithTimeout(r.Context(), forkTime)
	defer cancel()
	body, err := h.fork(ctx, r, in.At, in.Edits)
	if err != nil {
		return h.worded(ctx, "the fork", forkTime, unfit(err))
	}
	return comm.JSON(w, http.StatusOK, body)
}

// wanted is what a client wants to know of a fork.
type wanted struct {
	At    int               `json:"at"`
	Edits map[string]string `json:"edits"`
}

// forkOf reads a body. What two readers could understand differently, such as a name given twice,
// is refused, as everywhere (COM-6).
func forkOf(data []byte) (in wanted, err error) {
	if _, err := wire.Parse(data); err != nil {
		return in, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err = d.Decode(&in)
	return in, misfit.Worded(err)
}

// unfit words errors that a person can fix.
func unfit(err error) error {
	switch {
	case errors.Is(err, fork.ErrNoPoint):
		return &comm.Problem{Code: comm.CodeBadRequest, Message: err.Error(), Hint: "name another step"}
	case errors.Is(err, fork.ErrEdit):
		return &comm.Problem{Code: comm.CodeBadRequest, Message: err.Error(), Hint: "change what the step has"}
	default:
		return err
	}
}

// fork continues from a step with a changed input. The model is really asked; nothing else is
// executed.
func (h *hindsight) fork(ctx context.Context, r *http.Request, at int, edits map[string]string) (ForkBody, error) {
	j, past, err := h.past(ctx, r, history.Of)
	if err != nil {
		return ForkBody{}, err
	}
	point, err := fork.At(j, past, at)
	if err != nil {
		return ForkBody{}, err
	}
	change := fork.Change{StepsMax: forkStepsMax, AskAgain: point.Answers() && len(edits) == 0}
	if len(edits) > 0 {
		var list []fork.Edit
		for key, value := range edits { // order-free: Edited sorts the edits
			list = append(list, fork.Edit{Key: key, Value: value})
		}
		if change.Input, err = point.Edited(list); err != nil {
			return ForkBody{}, err
		}
	}
	body := ForkBody{At: at}
	result, err := fork.Run(point, change, func(ask fsm.AskBrain, tools []fsm.ToolDecl) (fsm.Input, error) {
		began := time.Now()
		said, err := h.o.Brain.Chat(ctx, ask, tools, func(daemon.Piece) {})
		if ctx.Err() != nil {
			return fsm.Input{}, ctx.Err()
		}
		took := time.Since(began).Milliseconds()
		body.Asked, body.TookMS, body.Brain = body.Asked+1, body.TookMS+took, h.o.About()
		return fsm.Input{At: fsm.Millis(took), Fact: engine.Outcome(ask.Call).Brain(said, err)}, nil
	})
	if errors.Is(err, fork.ErrSteps) {
		body.Cut, err = true, nil
	}
	if err != nil {
		return ForkBody{}, err
	}
	body.tell(point, result)
	return body, nil
}

// tell describes the recorded steps and those of the fork.
func (b *ForkBody) tell(p fork.Point, r fork.Result) {
	before := p.History.Steps[:p.Step.N-1]
	b.Recorded = told(p.History.Steps)[p.Step.N-1:]
	steps := slices.Clone(before)
	for _, s := range r.Steps {
		steps = append(steps, s.Step)
	}
	b.Fork = told(steps)[p.Step.N-1:]
	for i, s := range r.Steps {
		b.Fork[i].Source = s.Source
	}
	b.Parted, b.Refused, b.Stands = r.Parted, r.Refused, r.Stands
	if q := p.History.Request; q.Done {
		b.Replies.Recorded = &Reply{q.Reply, q.IsError, q.Outcome}
	}
	if r.Reply != nil {
		b.Replies.Fork = &Reply{r.Reply.Text, r.Reply.IsError, r.Reply.Outcome}
	}
	for _, v := range r.Violations {
		b.Broken = append(b.Broken, v.String())
	}
}

// told describes steps.
func told(steps []history.Step) []Told {
	list := make([]Told, 0, len(steps))
	for i, words := range history.Tell(steps, forkTextMax) {
		t := Told{N: steps[i].N, What: words.What}
		for k, e := range steps[i].Effects {
			if !history.Minor(e) && len(t.Effects) < forkEffectMax {
				t.Effects = append(t.Effects, words.Effects[k])
			}
		}
		list = append(list, t)
	}
	return list
}
