package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/run"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/ollama"
)

// examined is a model to examine, with what was found out about it.
type examined struct {
	*examination
	cfg    config.Config
	client *ollama.Client // of the chosen models
	name   string
	embed  string // "": no embedding model
	model  ollama.Model
	ollama.Description
	loaded *ollama.Loaded // nil: not in memory
}

// brain examines the model. Running is the daemon's status, or nil.
func (x *examination) brain(ctx context.Context, cfg config.Config, running *comm.Status, measure bool) {
	c := cfg.Brain
	stands := "" // what answers instead of a model
	switch {
	case c.Kind == "auto":
		stands = "until then the built-in demo brain answers: a script, not a model"
	case running != nil && running.Brain == brain.AboutDemo:
		stands = "the daemon answers with the built-in demo brain, a script; restart it to use a model"
	}
	if c.Kind == "demo" {
		x.warn("brain", "the built-in demo brain: a script, not a model", "set brain.kind to ollama")
		return
	}
	o, err := ollama.New(brain.Options(c))
	if err != nil {
		x.fail("ollama", err.Error(), "correct brain.url or OLLAMA_HOST")
		return
	}
	defer o.Close()
	version, err := o.Version(ctx)
	if err != nil {
		x.unanswered(running, o.BaseURL(), err, stands)
		return
	}
	x.ok("ollama", fmt.Sprintf("version %s at %s", version, o.BaseURL()))
	chat, embed, err := o.Choose(ctx)
	if err != nil {
		x.unusable("model", err, stands)
		return
	}
	x.same(running, chat, o.BaseURL())
	e := &examined{examination: x, cfg: cfg, client: o.With(chat, embed), name: chat, embed: embed}
	if err := e.look(ctx); err != nil {
		x.fail("model", err.Error(), "")
		return
	}
	e.can()
	e.window()
	e.least(run.WindowMin(cfg))
	e.embedding(ctx, embed, running, measure)
	e.suits(ctx, measure)
	if measure {
		e.disturbed(running)
	}
}

// same reports that the daemon asks another model or server than the one that is examined, as it
// does if it was started with other flags or before the configuration changed.
func (x *examination) same(running *comm.Status, chat, server string) {
	if running == nil || running.Server == "" {
		return
	}
	if running.Server != server || running.Model != "" && !ollama.SameModel(running.Model, chat) {
		x.warn("other model", fmt.Sprintf("the daemon asks %s; what follows is about %s at %s", brain.AboutOllama(running.Model, running.Server), chat, server),
			"name the daemon's model and server with --model and --set brain.url, or restart the daemon with these settings")
	}
}

// unanswered reports that the server does not answer. It need not if the daemon asks another one.
func (x *examination) unanswered(running *comm.Status, server string, err error, stands string) {
	if running == nil || running.Server == "" || running.Server == server {
		x.unusable("ollama", err, stands)
		return
	}
	x.warn("ollama", fmt.Sprintf("%v; the daemon asks %s", err, brain.AboutOllama(running.Model, running.Server)),
		"to examine the daemon's server, add --set brain.url="+wording.ShellWord(running.Server))
}

// unusable reports a server without a usable model. That is not a failure if something else
// answers (CFG-6).
func (x *examination) unusable(what string, err error, stands string) {
	if stands != "" {
		x.warn(what, err.Error(), stands)
		return
	}
	x.fail(what, err.Error(), "without one, run with --brain demo")
}

// look asks the server what the model is and how it is loaded.
func (e *examined) look(ctx context.Context) (err error) {
	models, err := e.client.Models(ctx)
	if err != nil {
		return err
	}
	for _, m := range models {
		if ollama.SameModel(m.Name, e.name) {
			e.model = m
		}
	}
	if e.Description, err = e.client.Describe(ctx, e.name); err != nil {
		return err
	}
	return e.load(ctx)
}

// load asks how the model is loaded now.
func (e *examined) load(ctx context.Context) error {
	loaded, err := e.client.Loaded(ctx)
	for _, l := range loaded {
		if ollama.SameModel(l.Name, e.name) {
			e.loaded = &l
		}
	}
	return err
}

// can reports what the model is and can do.
func (e *examined) can() {
	about := []string{}
	for _, word := range []string{e.model.Family, e.model.Parameters, e.model.Quantization} {
		if word != "" && word != "unknown" {
			about = append(about, word)
		}
	}
	what := fmt.Sprintf("%s (%s), %s", e.name, strings.Join(append(about, quantity.Bytes(e.model.Size)), ", "), strings.Join(e.Words(), ", "))
	switch {
	case e.Tools:
		e.ok("model", what)
	case e.cfg.Brain.Tools == string(ollama.ToolsNative):
		e.fail("model", what+": it cannot call tools", "name one that can with --model, or set brain.tools to auto")
	default: // BRN-16
		e.warn("model", what+": it cannot call tools; they are described to it in the prompt, which small models follow badly",
			"name one that can with --model; without a name, the first one that can is used")
	}
	if think := e.cfg.Brain.Think; think != "model" && think != "false" && !e.Thinking {
		e.ok("thinking", fmt.Sprintf("%s cannot think; brain.think %s is not sent", e.name, think)) // BRN-14
	} else if e.Thinking {
		e.ok("thinking", e.name+" thinks; thinking counts against num_predict")
	}
}

// least reports the smallest window that the system prompt and the tools need (CTX-16).
func (e *examined) least(tokens int, err error) {
	given := e.cfg.Limits.ContextTokens
	switch {
	case err != nil: // tools says why
	case tokens == 0:
		e.ok("least window", "any: profile "+e.cfg.Profile+" does not limit prompts to the window (limits.answer_percent is 0)")
	case given < tokens:
		e.fail("least window", fmt.Sprintf("%d tokens for the system prompt and the tools; limits.context_tokens is %d, with which shelly does not start", tokens, given),
			fmt.Sprintf("set brain.num_ctx to %d or more, or offer fewer tools", tokens))
	default:
		e.ok("least window", fmt.Sprintf("%d tokens for the system prompt and the tools, of %d", tokens, given))
	}
}

// given reports that the server has given the model a smaller window than it was just asked for
// (BRN-17). If the model has no more, window says so.
func (e *examined) given() {
	if l := e.loaded; l != nil && l.NumCtx > 0 && l.NumCtx < min(e.cfg.Brain.NumCtx, e.ContextLength) {
		e.warn("window", fmt.Sprintf("the server was asked for %d tokens and has given %d", e.cfg.Brain.NumCtx, l.NumCtx),
			fmt.Sprintf("set brain.num_ctx to %d", l.NumCtx))
	}
}

// window compares the configured window with those of the model and the server.
func (e *examined) window() {
	c := e.cfg.Brain
	if e.ContextLength > 0 && e.ContextLength < c.NumCtx {
		e.warn("context", fmt.Sprintf("num_ctx is %d, but the model's window ends at %d", c.NumCtx, e.ContextLength),
			fmt.Sprintf("set brain.num_ctx to %d", e.ContextLength))
	} else {
		e.ok("context", fmt.Sprintf("num_ctx %d of the model's %d, num_predict %s", c.NumCtx, e.ContextLength, predicts(c.NumPredict)))
	}
	if e.loaded == nil {
		return
	}
	found := "in memory: " + brain.InMemory(*e.loaded, time.Now())
	if given := e.loaded.NumCtx; given > 0 && given != c.NumCtx && given != e.ContextLength {
		why := "another client has loaded it with another window, and each change loads it again: give both the same window (OLLAMA_CONTEXT_LENGTH, or that client's num_ctx)"
		if given < c.NumCtx {
			why = "the server gives it no more, which --measure shows, or " + why
		}
		e.warn("loaded", fmt.Sprintf("%s; shelly asks for %d", found, c.NumCtx), why)
		return
	}
	e.ok("loaded", found)
}
