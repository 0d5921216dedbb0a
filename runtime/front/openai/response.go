package openai

import (
	"fmt"
	"net/http"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
)

// response is a response in OpenAI's shape. Its sampling fields have neutral values.
type response struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object"`
	CreatedAt          int64             `json:"created_at"`
	CompletedAt        *int64            `json:"completed_at"`
	Status             string            `json:"status"`
	Background         bool              `json:"background"`
	Conversation       *conversation     `json:"conversation"`
	Error              *responseError    `json:"error"`
	IncompleteDetails  *incomplete       `json:"incomplete_details"`
	Instructions       *string           `json:"instructions"`
	MaxOutputTokens    *int              `json:"max_output_tokens"`
	Metadata           map[string]string `json:"metadata"`
	Model              string            `json:"model"`
	Output             []item            `json:"output"`
	ParallelToolCalls  bool              `json:"parallel_tool_calls"`
	PreviousResponseID *string           `json:"previous_response_id"`
	Store              bool              `json:"store"`
	Temperature        *float64          `json:"temperature"`
	Text               textFormat        `json:"text"`
	ToolChoice         string            `json:"tool_choice"`
	Tools              []struct{}        `json:"tools"`
	TopP               *float64          `json:"top_p"`
	Truncation         string            `json:"truncation"`
	Usage              *responseUsage    `json:"usage"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incomplete struct {
	Reason string `json:"reason"`
}

type textFormat struct {
	Format struct {
		Type string `json:"type"`
	} `json:"format"`
}

type responseUsage struct {
	InputTokens         int           `json:"input_tokens"`
	InputTokensDetails  promptDetails `json:"input_tokens_details"`
	OutputTokens        int           `json:"output_tokens"`
	OutputTokensDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	TotalTokens int `json:"total_tokens"`
}

// item is a part of the output: a message, or a tool call that needs approval.
type item struct {
	ID      string     `json:"id"`
	Type    string     `json:"type"`
	Status  string     `json:"status,omitempty"`
	Role    string     `json:"role,omitempty"`
	Content *[]content `json:"content,omitempty"`

	ServerLabel string `json:"server_label,omitempty"`
	Name        string `json:"name,omitempty"`
	Arguments   string `json:"arguments,omitempty"`
}

type content struct {
	Type        string     `json:"type"`
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
}

func output(text string) content {
	return content{Type: "output_text", Text: text, Annotations: []struct{}{}, Logprobs: []struct{}{}}
}

// The statuses of responses and of their items.
const (
	queued     = "queued"
	inProgress = "in_progress"
	completed  = "completed"
	failed     = "failed"
	cancelled  = "cancelled"
	unfinished = "incomplete"
)

// messageItem returns an item with a text.
func messageItem(id, status string, parts ...content) item {
	if parts == nil {
		parts = []content{}
	}
	return item{ID: id, Type: "message", Status: status, Role: "assistant", Content: &parts}
}

// says reports whether two items have the same text, but for the blanks around it.
func (i item) says(o item) bool {
	if i.Content == nil || o.Content == nil || len(*i.Content) != 1 || len(*o.Content) != 1 {
		return false
	}
	return strings.TrimSpace((*i.Content)[0].Text) == strings.TrimSpace((*o.Content)[0].Text)
}

func (v view) response(known engine.Request, status string) response {
	b := response{
		ID: wireID(responsePrefix, known.Key.ID), Object: "response", CreatedAt: seconds(known.Accepted), Status: status,
		Background: v.background, Conversation: v.conversation, Instructions: v.instructions, Model: v.model, Output: []item{},
		PreviousResponseID: v.previous, Metadata: v.metadata, Store: !v.unkept, ToolChoice: "auto", Tools: []struct{}{}, Truncation: "disabled",
	}
	b.Text.Format.Type = "text"
	return b
}

// done returns a response that has its reply (FRT-16). Its output comes from the record and the
// journal: the texts besides tool calls, then the reply.
func (f *Front) done(r *http.Request, v view, known engine.Request, reply comm.Event) response {
	b := v.response(known, completed)
	id, text := replyID(known.Key.ID), reply.Text
	p, ok := f.past(r.Context(), known.Key)
	if ok {
		said, last := p.item(reply)
		if said != text {
			text = strings.TrimSpace(said)
		}
		if last { // the id that the item has in a stream
			id = itemID(known.Key.ID, p.Last.Epoch, p.Last.Call)
		}
		b.Usage = &responseUsage{InputTokens: p.Prompt, InputTokensDetails: promptDetails{p.Cached}, OutputTokens: p.Answer, TotalTokens: p.Prompt + p.Answer}
		for _, t := range p.Beside {
			b.Output = append(b.Output, messageItem(itemID(known.Key.ID, t.Epoch, t.Call), completed, output(t.Text)))
		}
	}
	if now, ok, err := f.front.Request(r.Context(), known.Key); err == nil && ok && now.Done {
		at := seconds(now.Replied)
		b.CompletedAt = &at
	}
	switch {
	case reply.Outcome == fsm.OutcomeCancelled:
		b.Status = cancelled
	case reply.IsError:
		b.Status, b.Error = failed, &responseError{"server_error", reply.Text}
	case reply.Outcome == fsm.OutcomeCut:
		b.Status, b.IncompleteDetails = unfinished, &incomplete{"max_output_tokens"}
		b.Output = append(b.Output, messageItem(id, unfinished, output(text)))
	default:
		b.Output = append(b.Output, messageItem(id, completed, output(text)))
	}
	return b
}

// now returns a response as it is now.
func (f *Front) now(r *http.Request, v view, known engine.Request) (response, error) {
	if known.Done {
		return f.done(r, v, known, comm.Event{Text: known.Reply, IsError: known.IsError, Outcome: known.Outcome}), nil
	}
	all, err := f.front.Standings(r.Context())
	if err != nil {
		return response{}, err
	}
	b := v.response(known, queued)
	for _, s := range all {
		if s.Handle != known.Handle {
			continue
		}
		if s.Phase != state.Queued && s.Phase != state.Parked {
			b.Status = inProgress
		}
		if s.Asks != nil {
			b.Output = append(b.Output, question(known.Key.ID, s.Asks.Key, s.Asks.Tool, s.Asks.Args))
		}
	}
	return b, nil
}

// approvalRequest is the type of the item for a question to a person.
const approvalRequest = "mcp_approval_request"

// question returns OpenAI's item for a call that waits for approval. The decision is made with
// shelly's own commands (FRT-12).
func question(id, key, tool, args string) item {
	return item{ID: wireID("mcpr_", id+"-"+key), Type: approvalRequest, ServerLabel: Agent, Name: tool, Arguments: args}
}

func (f *Front) getResponse(w http.ResponseWriter, r *http.Request) error {
	known, err := f.find(r, r.PathValue("id"))
	if err != nil {
		return err
	}
	streams, after, err := resuming(r)
	if err != nil {
		return err
	}
	if streams {
		release, err := comm.Place(r.Context())
		if err != nil {
			return err
		}
		defer release()
		return f.streamResponse(w, r, again(), known, after, nil)
	}
	now, err := f.now(r, again(), known)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, now)
}

// inputs is the list of what a response was asked.
type inputs struct {
	Object  string  `json:"object"`
	Data    []input `json:"data"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
	HasMore bool    `json:"has_more"`
}

type input struct {
	ID      string      `json:"id"`
	Type    string      `json:"type"`
	Status  string      `json:"status"`
	Role    string      `json:"role"`
	Content []inputText `json:"content"`
}

type inputText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// getInput lists what a response was asked: one item, with the text as the record has it. Of
// images and of messages of the caller's the record has only a hash.
func (f *Front) getInput(w http.ResponseWriter, r *http.Request) error {
	known, err := f.find(r, r.PathValue("id"))
	if err != nil {
		return err
	}
	if known.Body != "" {
		return &Error{
			Status: http.StatusNotFound, Code: "not_kept", Final: true,
			Message: "the images or earlier messages that came with this response are not in its record, so its input cannot be listed; the text alone: shelly request show " + wording.ShellArgument(known.Key.ID),
		}
	}
	list := inputs{Object: "list", Data: []input{}}
	if id := wireID(itemPrefix+"in_", known.Key.ID); r.FormValue("after") != id {
		list.Data = append(list.Data, input{ID: id, Type: "message", Status: completed, Role: "user", Content: []inputText{{"input_text", known.Text}}})
		list.FirstID, list.LastID = &id, &id
	}
	return answer(w, http.StatusOK, list)
}

// postCancel asks to end a request, and answers with the response as it is then. One that has ended
// otherwise is refused, as at OpenAI's: a client that gets it would think that it was in time.
func (f *Front) postCancel(w http.ResponseWriter, r *http.Request) error {
	known, err := f.find(r, r.PathValue("id"))
	if err != nil {
		return err
	}
	taken := known.Outcome == fsm.OutcomeCancelled
	if !known.Done {
		if taken, err = f.front.Cancel(r.Context(), known.Key); err != nil {
			return err
		}
		if known, err = f.find(r, r.PathValue("id")); err != nil {
			return err
		}
	}
	now, err := f.now(r, again(), known)
	if err != nil {
		return err
	}
	if known.Done && !taken {
		return &Error{Message: fmt.Sprintf("cannot cancel a response that is %s; GET /v1/responses/%s shows it", now.Status, now.ID), Param: "response_id"}
	}
	return answer(w, http.StatusOK, now)
}

// deleteResponse refuses: what was asked and done stays on record until retention drops it.
func (f *Front) deleteResponse(_ http.ResponseWriter, r *http.Request) error {
	known, err := f.find(r, r.PathValue("id"))
	if err != nil {
		return err
	}
	return &Error{
		Status: http.StatusMethodNotAllowed, Code: "not_deletable",
		Message: "the record of " + known.Key.ID + " stays until retention drops it (retention.age); cancel ends a response that is under way",
	}
}
