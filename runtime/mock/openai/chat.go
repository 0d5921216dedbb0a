package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/ollama/ollama/api"
	compat "github.com/ollama/ollama/openai"
)

// id returns the next id of a kind, such as chatcmpl-1.
func (h *handler) id(kind string) string { return kind + strconv.FormatInt(h.ids.Add(1), 10) }

func (h *handler) chat(body []byte) (asked, error) {
	var req compat.ChatCompletionRequest
	if err := decode(body, &req); err != nil {
		return asked{}, err
	}
	if len(req.Messages) == 0 {
		return asked{}, errors.New("[] is too short - 'messages'")
	}
	chat, err := compat.FromChatRequest(req)
	if err != nil {
		return asked{}, err
	}
	w := &chatWriting{id: h.id("chatcmpl-"), streams: req.Stream, usage: req.StreamOptions != nil && req.StreamOptions.IncludeUsage}
	return asked{http.MethodPost, "/api/chat", chat, w}, nil
}

// chatWriting writes chunks, or one completion.
type chatWriting struct {
	id             string
	streams, usage bool
	begun, calls   bool
	at             time.Time // the time of the first line, which every chunk has
}

func (w *chatWriting) media() string { return media(w.streams) }

func media(streams bool) string {
	if streams {
		return eventStream
	}
	return "application/json"
}

// answered reads an answer. A call whose arguments are no object is an error in the words of a real
// server, which sends no such call.
func answered(line []byte) (r api.ChatResponse, err error) {
	if err = json.Unmarshal(line, &r); err != nil {
		err = fmt.Errorf("error parsing tool call: %w", err)
	}
	return r, err
}

func (w *chatWriting) write(line []byte) ([]byte, error) {
	r, err := answered(line)
	if err != nil {
		return nil, err
	}
	if !w.streams {
		return encode(compat.ToChatCompletion(w.id, r)), nil
	}
	if w.at.IsZero() {
		w.at = r.CreatedAt
	}
	r.CreatedAt = w.at
	var out []byte
	said := r.Message
	if !r.Done || !w.begun || said.Content != "" || said.Thinking != "" || len(said.ToolCalls) > 0 {
		for _, c := range compat.ToStreamChunks(w.id, r, !w.begun) {
			w.calls = w.calls || len(c.Choices[0].Delta.ToolCalls) > 0
			out = append(out, event("", c)...)
		}
		w.begun = true
	}
	if !r.Done {
		return out, nil
	}
	last := compat.FinishChunk(w.id, r, w.calls)
	out = append(out, event("", last)...)
	if w.usage {
		u := compat.ToUsage(r)
		last.Usage, last.Choices = &u, []compat.ChunkChoice{}
		out = append(out, event("", last)...)
	}
	return append(out, done...), nil
}

// done is the end of a stream of chunks.
const done = "data: [DONE]\n\n"

func (h *handler) completion(body []byte) (asked, error) {
	var req compat.CompletionRequest
	if err := decode(body, &req); err != nil {
		return asked{}, err
	}
	generate, err := compat.FromCompleteRequest(req)
	if err != nil {
		return asked{}, err
	}
	w := &completionWriting{id: h.id("cmpl-"), streams: req.Stream, usage: req.StreamOptions != nil && req.StreamOptions.IncludeUsage}
	return asked{http.MethodPost, "/api/generate", generate, w}, nil
}

// completionWriting is chatWriting for the older completions of a text.
type completionWriting struct {
	id             string
	streams, usage bool
}

func (w *completionWriting) media() string { return media(w.streams) }

func (w *completionWriting) write(line []byte) ([]byte, error) {
	var r api.GenerateResponse
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	if !w.streams {
		return encode(compat.ToCompletion(w.id, r)), nil
	}
	c := compat.ToCompleteChunk(w.id, r)
	if w.usage {
		c.Usage = &compat.Usage{}
	}
	out := event("", c)
	if !r.Done {
		return out, nil
	}
	if w.usage {
		u := compat.ToUsageGenerate(r)
		c.Usage, c.Choices = &u, []compat.CompleteChunkChoice{}
		out = append(out, event("", c)...)
	}
	return append(out, done...), nil
}

func (h *handler) response(body []byte) (asked, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return asked{}, coded{errors.New("missing request body")}
	}
	if _, _, err := compat.PrepareTriggeredCompaction(body); err != nil { // it demands a model and an input
		return asked{}, coded{err}
	}
	var req compat.ResponsesRequest
	if err := decode(body, &req); err != nil {
		return asked{}, err
	}
	chat, err := compat.FromResponsesRequest(req)
	if err != nil {
		return asked{}, err
	}
	streams := req.Stream != nil && *req.Stream
	chat.Stream = &streams
	w := &responseWriting{id: h.id("resp_"), item: h.id("msg_"), request: req, streams: streams}
	w.events = compat.NewResponsesStreamConverter(w.id, w.item, req.Model, req)
	return asked{http.MethodPost, "/api/chat", chat, w}, nil
}

// responseWriting writes the events of a response, or one response.
type responseWriting struct {
	id, item string
	request  compat.ResponsesRequest
	streams  bool
	events   *compat.ResponsesStreamConverter
}

func (w *responseWriting) media() string { return media(w.streams) }

func (w *responseWriting) write(line []byte) ([]byte, error) {
	r, err := answered(line)
	if err != nil {
		return nil, err
	}
	if !w.streams {
		response := compat.ToResponse(w.request.Model, w.id, w.item, r, w.request)
		completed := r.CreatedAt.Unix()
		response.CompletedAt = &completed
		return encode(response), nil
	}
	var out []byte
	for _, e := range w.events.Process(r) {
		out = append(out, event(e.Event, e.Data)...)
	}
	return out, nil
}
