package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"shelly/fsm"
)

// Chunk is a piece of an answer as it streams in. Text and Thinking may both be set. A Note is not
// part of the answer: it says in words what the answer is waiting for.
type Chunk struct {
	Text     string
	Thinking string
	Note     string
	Stage    fsm.Stage // the stage that the call has reached; nothing else is set then
}

// come reports that a call has reached a stage.
func come(stream func(Chunk), to fsm.Stage) {
	if stream != nil {
		stream(Chunk{Stage: to})
	}
}

const (
	errorBytesMax = 64 << 10
	// drain is how long the end of a response may take after its last line. A connection whose
	// response was read to its end can serve the next call too.
	drain = 100 * time.Millisecond
)

// Chat asks the model and returns its whole answer. At and Call are left to the caller. Tools are
// those that this call offers. If stream is not nil it is called with each piece of text and
// thinking as it comes (BRN-9), on this goroutine; it must not block, because the deadlines go on.
// The error is always an [*Error].
func (c *Client) Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(Chunk)) (fsm.BrainAnswered, error) {
	answer, err := c.chat(ctx, ask, tools, stream)
	c.known.learn(c.opt.Model, func(f *facts) {
		if delete(f.answered, c.opt.NumCtx); err == nil {
			f.answered[c.opt.NumCtx], f.warm = c.now(), false
		}
	})
	if err == nil {
		answer.Model = fsm.Model{Name: c.opt.Model, Digest: c.known.of(c.opt.Model).digest}
		return answer, nil
	}
	if err.Class == fsm.BrainUnreachable {
		c.known.forget() // it may come back as another server (BRN-13)
	}
	return fsm.BrainAnswered{}, err
}

func (c *Client) chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(Chunk)) (fsm.BrainAnswered, *Error) {
	if c.opt.Model == "" {
		return fsm.BrainAnswered{}, failure(fsm.BrainMissingModel, "no chat model is configured: name one, or run \"ollama pull %s\"", suggestedModel)
	}
	model, unclear, err := c.ready(ctx, stream)
	if err != nil {
		return fsm.BrainAnswered{}, err
	}
	ask, err = c.seen(ask, model)
	if err != nil {
		return fsm.BrainAnswered{}, err
	}
	for refusals := 0; ; refusals++ {
		answer, err := c.once(ctx, ask, tools, c.mannerOf(ask, model), stream)
		if unclear && answer.Tokens.Read == 0 {
			answer.Tokens.Reading = 0 // of a prompt of which nobody knows how much was read (BRN-18)
		}
		lacks := lacking(err, model, tools)
		if lacks == "" || model.lacks[lacks] || refusals == refusalsMax {
			return answer, err
		}
		before := c.mannerOf(ask, model)
		model = c.known.learn(c.opt.Model, func(f *facts) { f.lacks[lacks] = true })
		if c.mannerOf(ask, model) == before {
			return answer, err
		}
		c.opt.Log.Info("the model is asked again in another way", "model", c.opt.Model, "because", err)
	}
}

// lacking returns the ability for want of which a call has failed, or "". A template that refuses
// even a conversation in turns may have no place for tools (BRN-46).
func lacking(err *Error, f facts, tools []fsm.ToolDecl) Ability {
	switch {
	case err == nil:
		return ""
	case err.Lacks == AnyOrder && f.lacks[AnyOrder] && len(tools) > 0:
		return Tools
	default:
		return err.Lacks
	}
}

// refusalsMax is how many times one chat may be refused for something that the model lacks: once
// for each [Ability].
const refusalsMax = 4

// once sends one request.
func (c *Client) once(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, how manner, stream func(Chunk)) (fsm.BrainAnswered, *Error) {
	body, least, err := c.request(ask, tools, how)
	if err != nil {
		return fsm.BrainAnswered{}, failure(fsm.BrainError, "%v", err)
	}
	w := newWatch(ctx, c.opt.Timeouts)
	defer w.stop()
	if len(tools) > 0 && !how.described {
		w.lives = func() bool { return c.silence(w) == nil }
	}
	come(stream, fsm.StageAccepted)
	resp, err := c.awaited(w, stream, func() (*http.Response, error) { return c.post(w, ask, body) })
	if err != nil {
		return fsm.BrainAnswered{}, c.failed(w, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fsm.BrainAnswered{}, c.refusedChat(w, resp)
	}
	answer, failed := c.read(w, resp, ask, stream)
	if failed != nil {
		return fsm.BrainAnswered{}, failed
	}
	if failed := c.whole(least, answer.Tokens.Prompt); failed != nil {
		return fsm.BrainAnswered{}, failed
	}
	answer.AsText = how.described
	return answer, nil
}

func (c *Client) post(ctx context.Context, ask fsm.AskBrain, body []byte) (*http.Response, error) {
	req, err := c.posted(ctx, c.chatURL, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/x-ndjson")
	req.Header.Set(PurposeHeader, string(ask.Purpose))
	if ask.Session != "" {
		req.Header.Set(SessionHeader, url.QueryEscape(ask.Session))
	}
	return c.http.Do(req)
}

// posted returns a request with a JSON body.
func (c *Client) posted(ctx context.Context, url string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, err
}

// refusedChat reads a response that is not a 200.
func (c *Client) refusedChat(ctx context.Context, resp *http.Response) *Error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, errorBytesMax))
	if err != nil && ctx.Err() != nil {
		return c.ended(ctx)
	}
	text, ours := errorText(resp.StatusCode, body)
	return c.refused(c.opt.Model, resp.StatusCode, text, ours).after(resp.Header)
}

// read reads an answer from a streamed response. The answer is complete only with a line that has
// done: true (BRN-1).
func (c *Client) read(w *watch, resp *http.Response, ask fsm.AskBrain, stream func(Chunk)) (fsm.BrainAnswered, *Error) {
	in := newLines(resp.Body)
	defer in.giveBack()
	all := collector{stream: stream, thinkTokens: ask.ThinkTokens}
	for {
		line, err := in.next()
		if errors.Is(err, io.EOF) && all.repeats >= repeatsMax {
			return fsm.BrainAnswered{}, c.repeating()
		}
		if err != nil {
			return fsm.BrainAnswered{}, c.cut(w, err)
		}
		w.alive()
		var ch chunk
		if !utf8.Valid(line) {
			line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
		}
		if err := json.Unmarshal(line, &ch); in.torn && unended(err) {
			return fsm.BrainAnswered{}, c.cut(w, io.EOF)
		} else if err != nil {
			return fsm.BrainAnswered{}, c.unreadable(resp.Header, line)
		}
		if ch.failed() {
			return fsm.BrainAnswered{}, c.broken(line)
		}
		if !all.begun {
			all.begun = true
			come(stream, fsm.StageWriting)
		}
		all.add(&ch)
		if all.full { // it counts as cut off, like an answer that reached its maximum length (BRN-20, INF-33)
			return all.answer(ask.Conversation, &ch), nil
		}
		if !ch.Done {
			continue
		}
		w.hurry(drain)
		_, _ = io.Copy(io.Discard, in.r)
		return all.answer(ask.Conversation, &ch), nil
	}
}

func (c *Client) unreadable(h http.Header, line []byte) *Error {
	return failure(fsm.BrainGarbage, "the server at %s sent a line that is not part of an answer%s: %q", c.base, saidToBe(h), excerpt(string(line)))
}

// unended reports whether what could not be read is the beginning of a value.
func unended(err error) bool {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	return ok && syntax.Error() == "unexpected end of JSON input"
}

// saidToBe names what a server claims to send, if that is not an answer: the page of another
// program, or something compressed although nobody asked for it (BRN-11).
func saidToBe(h http.Header) string {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	packed := h.Get("Content-Encoding")
	switch {
	case packed != "":
		return fmt.Sprintf(", but %q of Content-Encoding %q", kind, packed)
	case kind != "" && kind != "application/x-ndjson" && kind != "application/json":
		return fmt.Sprintf(", but %q", kind)
	default:
		return ""
	}
}

// cut classifies the error that ended a stream before its last line (BRN-1, BRN-11).
func (c *Client) cut(ctx context.Context, err error) *Error {
	switch {
	case ctx.Err() != nil:
		return c.ended(ctx)
	case errors.Is(err, errLineTooLong), errors.Is(err, errTooLarge):
		return failure(fsm.BrainGarbage, "the server at %s sent an answer that is too large: %v", c.base, err)
	case errors.Is(err, io.EOF):
		return failure(fsm.BrainCutStream, "the model's answer ended without its last line")
	default:
		return failure(fsm.BrainCutStream, "the connection to the Ollama server at %s broke during an answer: %v", c.base, innermost(err))
	}
}

// broken classifies an error that the server reports during a stream.
func (c *Client) broken(line []byte) *Error {
	text, _ := errorText(http.StatusOK, line)
	if e := c.reported(text); e != nil {
		return e
	}
	if runnerDied(text) {
		return c.crashed(text)
	}
	return failure(fsm.BrainError, "the Ollama server at %s failed during an answer: %s", c.base, text)
}
