package openai

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/failpoint"
	"shelly/runtime/front/stream"
	"shelly/runtime/front/wire"
)

// The prefixes of the sessions of requests from OpenAI's clients; the id follows.
const (
	keptSession = Channel + ":"      // shelly keeps the conversation
	onceSession = Channel + "-once:" // the caller keeps the conversation
)

// chatting is a request for a chat completion.
type chatting struct {
	model   string
	streams bool
	usage   bool
	request comm.Request
}

// readChat reads a chat: the last message is the question, those before it are its history.
func (f *Front) readChat(v wire.Value) (c chatting, err error) {
	var messages []message
	var user string
	attached := map[string]string{}
	fields := slices.Concat(sampling(), []wire.Field{
		wire.Text("model", &c.model), wire.Flag("stream", &c.streams), wire.Each("messages", comm.ContextMax, readMessage(&messages)),
		{Name: "stream_options", Read: func(v wire.Value) error {
			return v.Object(wire.Flag("include_usage", &c.usage), wire.Idle("include_obfuscation", wire.Bool))
		}},
		wire.Text("user", &user), {Name: "metadata", Read: metadata(attached)},
		wire.Refused("tools", ownTools), wire.Refused("functions", ownTools), wire.Refused("tool_choice", ownTools, "none", "auto"), wire.Refused("function_call", ownTools, "none", "auto"),
		wire.Only("n", 1, "there is one answer; send 1"),
		wire.Refused("logprobs", "the agent's answer has none"), wire.Refused("stop", "the agent says all that it has to say"),
		{Name: "response_format", Read: format}, {Name: "modalities", Read: onlyText},
		wire.Refused("audio", "the agent does not speak"), wire.Refused("prediction", "the agent's answer is its own"),
		wire.Refused("web_search_options", "the agent searches with its own tools"), wire.Refused("moderation", "nothing is moderated here"),
		wire.Idle("store", wire.Bool),
	})
	if err := v.Object(fields...); err != nil {
		return c, err
	}
	if err := f.known(c.model); err != nil {
		return c, err
	}
	if len(messages) == 0 {
		return c, &wire.Error{Param: "messages", Message: `"messages" is missing or empty; send at least one`}
	}
	last := messages[len(messages)-1]
	if last.role != "user" {
		return c, last.at.Fault("is the last message and has the role %q; the last one is the question, of role user", last.role)
	}
	if err := cmp.Or(textFault(last.at, last.text), imagesFit(v, messages)); err != nil {
		return c, err
	}
	if err := cmp.Or(sessionFault(metadataSession, attached[ofSession], ""), sessionFault("user", user, "")); err != nil {
		return c, err
	}
	c.request = comm.Request{Session: cmp.Or(attached[ofSession], user), Text: last.text, Images: last.images, Context: history(messages[:len(messages)-1])}
	return c, nil
}

// ofSession is the name in a client's metadata that names the request's session (FRT-9).
const ofSession = "session"

const metadataSession = "metadata." + ofSession

// sessionFault returns an error that names the field if what it says cannot name a session after a prefix.
func sessionFault(field, name, prefix string) error {
	p, is := errors.AsType[*comm.Problem](comm.CheckSession(field, name, comm.SessionBytesMax-len(prefix)))
	if !is {
		return nil
	}
	return &wire.Error{Param: field, Message: p.Message + "; " + p.Hint}
}

// metadata reads a client's metadata.
func metadata(to map[string]string) func(wire.Value) error {
	return func(v wire.Value) error {
		if err := v.Is(wire.Object); err != nil {
			return err
		}
		for _, m := range v.Members {
			if err := m.Is(wire.String); err != nil {
				return err
			}
			to[m.Name] = m.Text
		}
		return nil
	}
}

// format accepts only text.
func format(v wire.Value) error {
	if err := v.Is(wire.Object); err != nil {
		return err
	}
	if kind := v.Member("type"); kind.Text != "text" {
		return v.Fault("asks for %q: the agent answers only in text", kind.Text)
	}
	return nil
}

func onlyText(v wire.Value) error {
	return v.Each(1, func(v wire.Value) error {
		if v.Text != "text" {
			return v.Fault("is %q: the agent answers only in text", v.Text)
		}
		return nil
	})
}

func once(id string) string { return onceSession + id }

func (f *Front) postChat(w http.ResponseWriter, r *http.Request) error {
	body, v, err := f.body(w, r)
	if err != nil {
		return err
	}
	c, err := f.readChat(v)
	if err != nil {
		return err
	}
	release, err := comm.Place(r.Context()) // before the acceptance: "busy" means that nothing has happened
	if err != nil {
		return err
	}
	defer release()
	accepted, err := f.accept(r, body, c.request, once)
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.HTTPAccepted)
	known := accepted.Request
	if c.streams {
		return f.streamChat(w, r, c, known, comm.From(accepted, nil))
	}
	reply, replied, err := stream.Wait(r.Context(), w, f.front, known.Key, nil, f.o.Stream, func(comm.Event) {})
	if err != nil || !replied {
		return unanswered(err)
	}
	if fault := failure(reply); fault != nil {
		return fault
	}
	whole := chatBody(c, known, "chat.completion")
	reason := finish(reply)
	whole.Choices = []choice{{Message: &answered{Role: "assistant", Content: reply.Text}, FinishReason: &reason}}
	if u := f.usage(r, known.Key); u != nil {
		whole.Usage = u
	}
	failpoint.Hit(failpoint.HTTPReplyBefore)
	defer failpoint.Hit(failpoint.HTTPReplyAfter)
	return answer(w, http.StatusOK, whole)
}

// unanswered is the error if there is no reply: err, or, if it is nil, that the request is kept (FRT-6).
func unanswered(err error) error {
	if err != nil {
		return err
	}
	return &comm.Problem{Code: comm.CodeStopping, Message: "shelly is stopping", Hint: "the request is kept and done after the next start; send it again then, with the same " + KeyHeader}
}

// failure is a reply that is not an answer. Sending the request again would give the same.
func failure(reply comm.Event) *Error {
	switch {
	case !reply.IsError:
		return nil
	case reply.Outcome == fsm.OutcomeRefused:
		return &Error{Status: http.StatusBadRequest, Message: reply.Text, Code: string(reply.Outcome), Final: true}
	default:
		return &Error{Status: http.StatusInternalServerError, Message: reply.Text, Code: string(reply.Outcome), Final: true}
	}
}

// finish returns why an answer ended.
func finish(reply comm.Event) string {
	if reply.Outcome == fsm.OutcomeCut {
		return "length"
	}
	return "stop"
}

// completion is a chat's answer, or a chunk of it.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   any      `json:"usage,omitempty"` // a *usage, null where it is nil; absent: it was not asked for
}

type choice struct {
	Index        int       `json:"index"`
	Message      *answered `json:"message,omitempty"`
	Delta        *said     `json:"delta,omitempty"`
	Logprobs     *string   `json:"logprobs"` // null
	FinishReason *string   `json:"finish_reason"`
}

// answered is a whole answer. Unlike a part of one it always has each field that OpenAI's document
// requires, which clients that are made from that rely on.
type answered struct {
	Role    string  `json:"role"`
	Content string  `json:"content"`
	Refusal *string `json:"refusal"` // null
}

type said struct {
	Role      string  `json:"role,omitempty"`
	Content   *string `json:"content,omitempty"`
	Reasoning string  `json:"reasoning,omitempty"`
}

type usage struct {
	PromptTokens     int           `json:"prompt_tokens"`
	CompletionTokens int           `json:"completion_tokens"`
	TotalTokens      int           `json:"total_tokens"`
	PromptDetails    promptDetails `json:"prompt_tokens_details,omitzero"`
}

// promptDetails says how much of the prompts the model's server held; 0, too, if it does not say.
type promptDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

func chatBody(c chatting, known engine.Request, object string) completion {
	return completion{ID: wireID(chatPrefix, known.Key.ID), Object: object, Created: seconds(known.Accepted), Model: c.model}
}

// usage returns what all the model calls took together, or nil if that is unknown.
func (f *Front) usage(r *http.Request, key fsm.RequestKey) *usage {
	p, ok := f.past(r.Context(), key)
	if !ok {
		return nil
	}
	return &usage{p.Prompt, p.Answer, p.Prompt + p.Answer, promptDetails{p.Cached}}
}
