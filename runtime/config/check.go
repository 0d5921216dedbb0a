package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// loadIdentity replaces the identity with the text of identity_file, unless a later source sets the
// identity itself (CFG-4).
func (l *loading) loadIdentity() {
	const key, fileKey = "prompts.identity", "prompts.identity_file"
	path := l.config.Prompts.IdentityFile
	if path == "" {
		return
	}
	l.config.files = append(l.config.files, path)
	text, file := l.origins[key], l.origins[fileKey]
	switch {
	case text.layer > file.layer:
		return
	case text.layer == file.layer:
		l.problems.add(file, fileKey, "cannot be given together with prompts.identity; choose one")
		return
	}
	b, err := readFile(path, fsm.PromptBytesMax)
	if err != nil {
		l.problems.add(file, fileKey, wording.Quote(path)+": "+err.Error())
		return
	}
	f, _ := l.schema.field(key)
	identity, err := f.readText(strings.TrimSpace(string(b)), place{})
	if err != nil {
		l.problems.add(file, fileKey, wording.Quote(path)+" "+err.Error())
		return
	}
	l.config.Prompts.Identity = identity
	l.origins[key] = file
}

// tellSubagents puts an identity set by any source before the profile's subagent prompt (SKL-15).
func (l *loading) tellSubagents() {
	const key, by = "prompts.subagent", "prompts.identity"
	p := &l.config.Prompts
	if p.Subagent == "" || l.origins[key].layer != layerDefault || l.origins[by].layer == layerDefault {
		return
	}
	p.TellSubagents()
	l.origins[key] = l.origins[by]
}

// keepsWithin reports whether prompts are kept within context_tokens.
func (c *Config) keepsWithin() bool {
	return c.Switches.Compress || c.Limits.AnswerPercent > 0
}

// fitContext sets context_tokens to the window if conversations are kept within it and no source
// sets a value (CFG-12).
func (l *loading) fitContext() {
	const key = "limits.context_tokens"
	if l.config.keepsWithin() && l.origins[key].layer == layerDefault {
		l.config.Limits.ContextTokens = l.config.Brain.NumCtx
		l.origins[key] = l.origins["brain.num_ctx"]
	}
}

// fitSlots lets as many handles run at once as the server has slots, if the profile lets a session
// keep its slot (HND-50) and no source sets the number.
func (l *loading) fitSlots() {
	const key = "limits.max_active"
	if l.config.Limits.SessionBurst > 1 && l.origins[key].layer == layerDefault {
		l.config.Limits.MaxActive, l.config.slotted = l.config.Brain.Slots, true
		l.origins[key] = l.origins["brain.slots"]
	}
}

// fitResults sets the longest result to the default that goes with keep_texts, if a source has set
// that switch and no source sets the length (TOL-4).
func (l *loading) fitResults() {
	const key, by = "tools.result_bytes_max", "switches.keep_texts"
	if l.origins[key].layer != layerDefault || l.origins[by].layer == layerDefault {
		return
	}
	l.config.Tools.ResultBytesMax = resultBytesMax(l.config.Switches)
	l.origins[key] = l.origins[by]
}

// check rejects values that are valid alone but not together.
func (l *loading) check() {
	c := l.config
	l.checkFolder("data", c.Data)
	if !l.sources.Anywhere || l.origins["workspace"].layer != layerDefault {
		l.checkFolder("workspace", c.Workspace)
		if c.Data == c.Workspace {
			l.problems.add(l.origins["data"], "data", "is also the workspace; give shelly's data a folder of its own")
		}
	}
	l.checkAnswer("brain.num_predict", c.Brain.NumPredict)
	l.checkAnswer("brain.max_tokens", c.Brain.MaxTokens)
	for _, rung := range c.Tools.Exec.Rungs {
		if !slices.Contains(rungs, rung) {
			l.problems.add(l.origins["tools.exec.rungs"], "tools.exec.rungs", wording.Quote(rung)+" is not one of "+strings.Join(rungs, ", "))
		}
	}
	l.checkExec()
	if l.config.keepsWithin() && c.Limits.ContextTokens > c.Brain.NumCtx {
		l.problems.add(l.origins["limits.context_tokens"], "limits.context_tokens", fmt.Sprintf(
			"%d tokens do not fit a window of %d (brain.num_ctx); leave the key out to fill the window", c.Limits.ContextTokens, c.Brain.NumCtx))
	}
	l.checkTools()
	l.checkEvents()
	if !c.Switches.NoCognition && !c.Prompts.TellsNeed() {
		l.problems.add(l.origins["prompts.question"], "prompts.question", fsm.NeedUntold)
	}
}

// rungs are the names that package sandbox uses; this package does not import it.
var rungs = []string{"namespaces", "bwrap", "landlock"}

func (l *loading) checkAnswer(key string, tokens int) {
	if window := l.config.Brain.NumCtx; tokens >= window {
		l.problems.add(l.origins[key], key, fmt.Sprintf(
			"an answer of %d tokens leaves no room for a prompt in a window of %d (brain.num_ctx)", tokens, window))
	}
}

func (l *loading) checkFolder(key, path string) {
	if path == filepath.Dir(path) {
		l.problems.add(l.origins[key], key, path+" is the whole file system; name a folder in it")
	}
}
