package ollama

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// Error is a failed call: its class is for the machine, its reason for a person (BRN-7).
type Error struct {
	Class  fsm.BrainClass
	Reason string
	Lacks  Ability // the ability that the model lacks; empty: the error is another
}

// Error returns the reason.
func (e *Error) Error() string { return e.Reason }

// BrainClass returns the class.
func (e *Error) BrainClass() fsm.BrainClass { return e.Class }

// ofOneModel reports whether the answer to a question about a model is about that model: the server
// may answer about others.
func (e *Error) ofOneModel() bool {
	switch e.Class {
	case fsm.BrainMissingModel, fsm.BrainCrashed, fsm.BrainError, fsm.BrainGarbage:
		return true
	default:
		return false
	}
}

func failure(class fsm.BrainClass, format string, args ...any) *Error {
	return &Error{Class: class, Reason: fmt.Sprintf(format, args...)}
}

func (e *Error) lacking(a Ability) *Error {
	e.Lacks = a
	return e
}

// after adds how long the server asks to be left alone. The machine decides itself how long it
// waits (INF-15).
func (e *Error) after(h http.Header) *Error {
	if wait := h.Get("Retry-After"); wait != "" && e.Class == fsm.BrainBusy {
		if _, err := strconv.Atoi(wait); err == nil {
			wait += " s"
		}
		e.Reason += "; it asks to wait for " + excerpt(wait)
	}
	return e
}

// missing names the setting that the model comes from: brain.model, or brain.embed_model if it only
// makes vectors.
func (c *Client) missing(model string) *Error {
	setting := "brain.model"
	if model == c.opt.EmbedModel && model != c.opt.Model {
		setting = "brain.embed_model"
	}
	return failure(fsm.BrainMissingModel, "the Ollama server at %s has no model %q: run \"ollama pull %s\" there, or set %s to one that \"ollama list\" shows; without %s a restart chooses one",
		c.base, model, model, setting, setting)
}

// failed classifies an error of the transport. If the context has ended, that is the cause,
// whatever the error.
func (c *Client) failed(ctx context.Context, err error) *Error {
	if ctx.Err() != nil {
		return c.ended(ctx)
	}
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &cert):
		return failure(fsm.BrainError, "the server at %s has a certificate that is not valid here (%v): write the address with a name that the certificate has, or make this machine trust who signed it", c.base, cert.Err)
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return failure(fsm.BrainError, "the server at %s does not speak HTTPS: write its address with http://", c.base)
	case errors.Is(err, errTooLarge):
		return failure(fsm.BrainGarbage, "the Ollama server at %s sent too much: %v", c.base, err)
	case errors.As(err, &op) && op.Op == "dial":
		return failure(fsm.BrainUnreachable, "no Ollama server answers at %s (%v): start it with \"ollama serve\", or set OLLAMA_HOST to where it runs",
			c.base, dialCause(op))
	case saysOneOf(err.Error(), notHTTP):
		return failure(fsm.BrainCutStream, "the server at %s does not speak HTTP (%v): check the address", c.base, innermost(err))
	default:
		return failure(fsm.BrainCutStream, "the Ollama server at %s dropped the connection: %v", c.base, innermost(err))
	}
}

// notHTTP are the words of the HTTP client for an answer of a server that speaks something else.
var notHTTP = []string{"malformed HTTP ", "first record does not look like a TLS handshake"}

// ended says why a context ended: one of the deadlines here, the caller's deadline, or the caller
// gave up.
func (c *Client) ended(ctx context.Context) *Error {
	var own *Error
	cause := context.Cause(ctx)
	switch {
	case errors.As(cause, &own):
		return own
	case errors.Is(cause, context.DeadlineExceeded):
		return failure(fsm.BrainTimeout, "the Ollama server at %s gave no answer in time: if it stays so, restart it", c.base)
	default:
		return failure(fsm.BrainCancelled, "the call was given up")
	}
}

// refused classifies a response that is not a 200 by its status and text; ours says that the text
// came in the API's own form.
func (c *Client) refused(model string, status int, text string, ours bool) *Error {
	if status == http.StatusNotFound && ours && model != "" { // else a route is missing
		return c.missing(model)
	}
	if e := c.reported(text); e != nil && status >= http.StatusBadRequest {
		return e
	}
	if status == http.StatusInternalServerError && !ourFault(text) || status > http.StatusInternalServerError && runnerDied(text) {
		return c.crashed(text)
	}
	class := fsm.BrainError
	switch status {
	case http.StatusBadRequest:
		if strings.Contains(text, "HTTP request to an HTTPS server") || strings.Contains(text, "HTTP request was sent to HTTPS port") {
			return failure(class, "the server at %s speaks HTTPS: write its address with https://", c.base)
		}
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		return c.unauthorized(status, text, ours)
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		return failure(fsm.BrainBusy, "the Ollama server at %s is busy (%s): try again later, or raise OLLAMA_NUM_PARALLEL or OLLAMA_MAX_QUEUE there", c.base, text)
	case statusClosed:
		return failure(fsm.BrainCutStream, "the Ollama server at %s gave up on the call (status %d: %s)", c.base, status, text)
	case http.StatusBadGateway:
		class = fsm.BrainUnreachable
	case http.StatusGatewayTimeout, http.StatusRequestTimeout:
		class = fsm.BrainTimeout
	case http.StatusNotFound, http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return failure(class, "the server at %s does not speak Ollama's API (status %d: %s): check the address", c.base, status, text)
	}
	return failure(class, "the Ollama server at %s answered status %d: %s", c.base, status, text)
}

// unauthorized says what to do if a sign-in is asked for: by Ollama, for a model that another host
// runs, or by something before it.
func (c *Client) unauthorized(status int, text string, ours bool) *Error {
	do := "shelly sends no password, so set brain.url to an address that needs none"
	if ours && status == http.StatusUnauthorized {
		do = "run \"ollama signin\" there, or set brain.model to a model that the server runs itself"
	}
	text = strings.TrimPrefix(text, strconv.Itoa(status)+" ") // a status line, as the API library has it
	return failure(fsm.BrainError, "the server at %s asks for a sign-in (status %d: %s): %s", c.base, status, cmp.Or(text, "without a reason"), do)
}

// statusClosed is what Ollama answers when it believes that its client has gone, as it does when it
// is stopped.
const statusClosed = 499

// tooLong are the words for a prompt that does not fit the window: of the server itself, which has
// several, and of the processes of models, llama.cpp's and MLX's.
var tooLong = []string{
	"input length exceeds",
	"exceeds the context length",
	"longer than the context length",
	"exceeds the available context size",
	"exceeds the model's maximum context length",
	"exceeds maximum context length",
}

// unreadCall are the words of a server that cannot read what its model wrote: of its own parsers,
// and of llama.cpp's.
var unreadCall = []string{
	"error parsing tool call",
	"failed to parse tool call",
	"XML syntax error",
	"invalid tool call arguments",
	"Failed to parse input at pos",
}

// jinja are the words of llama.cpp for a conversation that a template refuses. They come after the
// place in the template.
const jinja = "Jinja Exception"

// reported classifies the errors that differ only in their text (BRN-7), in a response or during a
// stream. It returns nil for any other error.
func (c *Client) reported(text string) *Error {
	has := func(part string) bool { return strings.Contains(text, part) }
	switch {
	case has("does not support tools"):
		return failure(fsm.BrainNoTools,
			"the model cannot call tools (%s): configure one that can (\"ollama show MODEL\" lists it under capabilities), or set brain.tools to auto", text).lacking(Tools)
	case has("does not support thinking"):
		return failure(fsm.BrainError, "the model cannot think (%s): set brain.think to model or false", text).lacking(Thinking)
	case has("think value") && has("not supported"), has("Unexpected reasoning effort"):
		return failure(fsm.BrainError, "the model does not accept this amount of thinking (%s): set brain.think to true", text).lacking(Levels)
	case has("does not support chat"), has("does not support generate"):
		return c.chatless(c.opt.Model)
	case saysOneOf(text, unreadCall):
		return failure(fsm.BrainBadCall, "the model wrote a call that the server could not read: %s", text)
	case saysOneOf(text, tooLong):
		return failure(fsm.BrainContextTruncated, "the conversation does not fit into the context window of %d tokens (%s): raise num_ctx", c.opt.NumCtx, text)
	case has(jinja):
		return failure(fsm.BrainError, "the model's template does not take this conversation (%s): take another model, or give this one a template of Ollama's own", text).lacking(AnyOrder)
	case has("token repeat limit reached"):
		return c.repeating()
	case has("server busy"):
		return failure(fsm.BrainBusy, "the Ollama server at %s is busy (%s): try again later", c.base, text)
	case has("Loading model"), has("llm server loading model"):
		return failure(fsm.BrainLoading, "the model is still loading (%s): try again later", text)
	case has("timed out waiting for llama"):
		return failure(fsm.BrainLoading, "the model did not load in time (%s)", text)
	default:
		return nil
	}
}

// repeating is the failure of a model that the server has stopped because it repeated itself
// (BRN-45). Some servers only end the stream then.
func (c *Client) repeating() *Error {
	return failure(fsm.BrainError, "the model %q repeated itself until the server stopped it: ask in other words, or take another model", c.opt.Model)
}

// sort turns an error of the API library into an [*Error].
func (c *Client) sort(ctx context.Context, model string, err error) *Error {
	var status api.StatusError
	var auth api.AuthorizationError
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &status):
		// The library returns a body that it cannot parse as if it were the error.
		page := strings.HasPrefix(status.ErrorMessage, "404 page") || strings.HasPrefix(status.ErrorMessage, "<")
		return c.refused(model, status.StatusCode, reason(status.ErrorMessage), !page)
	case errors.As(err, &auth):
		return c.unauthorized(auth.StatusCode, auth.Status, auth.SigninURL != "")
	case errors.As(err, &syntax), errors.As(err, &kind):
		return failure(fsm.BrainGarbage, "the answer of the server at %s could not be read: %v; if it stays so, check the address", c.base, err)
	default:
		return c.failed(ctx, err)
	}
}

// errorText returns the error in a body, and whether the body has the API's form: if it asks for a
// sign-in, Ollama says where. An error that is not a string is quoted as it came, and so is a body
// whose error is blank.
func errorText(status int, body []byte) (text string, ours bool) {
	var wire struct {
		Error     json.RawMessage `json:"error"`
		SigninURL string          `json:"signin_url"`
	}
	if json.Unmarshal(body, &wire) != nil || len(wire.Error) == 0 {
		return reason(string(body)), false
	}
	if json.Unmarshal(wire.Error, &text) != nil {
		text = string(wire.Error)
	}
	if strings.TrimSpace(text) == "" {
		text = string(body)
	}
	return reason(text), status != http.StatusUnauthorized || wire.SigninURL != ""
}

// reason returns what a server gives as its reason. Newer servers pass on what the process of a model
// answered, as it came; of a template's refusal only the template's words matter.
func reason(text string) string {
	var passedOn struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(text), &passedOn) == nil {
		text = cmp.Or(passedOn.Error.Message, text)
	}
	if _, sent, ok := strings.Cut(text, " map[code:"); ok { // one that came within a stream
		_, sent, _ = strings.Cut(sent, " message:")
		text = cmp.Or(strings.TrimSuffix(sent, " type:server_error]"), text)
	}
	if at := strings.Index(text, jinja); at >= 0 {
		text = text[at:]
	}
	return cmp.Or(excerpt(text), "without a reason")
}

const excerptBytesMax = 300

// excerpt cuts foreign text to what fits in a reason.
func excerpt(s string) string {
	return wording.Clip(strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD")), excerptBytesMax)
}

// dialCause returns a dial error without the address, which the reason names already.
func dialCause(op *net.OpError) error {
	if op.Timeout() {
		return errors.New("no connection in time")
	}
	return innermost(op)
}

func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
