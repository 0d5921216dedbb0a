package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"shelly/fsm"
)

// renderPrompts returns the texts of the profile shelly, each as it is sent, and
// after them the texts in which other profiles differ, each once. A text that
// promptKeys does not name is an error.
func renderPrompts() (string, error) {
	keys := promptKeys()
	if err := worded(reflect.TypeFor[fsm.Prompts](), names(keys, func(k promptKey) string { return k.name }), "promptKeys"); err != nil {
		return "", err
	}
	var blocks []string
	own := fsm.DefaultPrompts()
	for _, key := range keys {
		if text := key.text(own); text != "" {
			blocks = append(blocks, fenced("`prompts."+key.name+"`", text))
		}
	}
	for _, key := range keys {
		blocks = append(blocks, otherTexts(key, key.text(own))...)
	}
	return strings.Join(blocks, "\n"), nil
}

// otherTexts returns the texts under a key that are not own, each with the
// profiles that have it.
func otherTexts(key promptKey, own string) []string {
	var texts []string
	having := map[string][]string{}
	for _, p := range profiles() {
		text := key.text(p.Prompts)
		if text == own || text == "" {
			continue
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		having[text] = append(having[text], p.Profile)
	}
	blocks := make([]string, len(texts))
	for i, text := range texts {
		blocks[i] = fenced("`prompts."+key.name+"` of "+strings.Join(having[text], ", "), text)
	}
	return blocks
}

func fenced(head, text string) string { return fmt.Sprintf("%s:\n\n```text\n%s\n```\n", head, text) }

// promptKey is a text of fsm.Prompts by its name.
type promptKey struct {
	name string
	text func(fsm.Prompts) string
}

// promptKeys names every field of fsm.Prompts, in their order.
func promptKeys() []promptKey {
	return []promptKey{
		{"identity", func(p fsm.Prompts) string { return p.Identity }},
		{"sections", sections},
		{"question", func(p fsm.Prompts) string { return p.Question }},
		{"init", func(p fsm.Prompts) string { return p.Init }},
		{"farewell", func(p fsm.Prompts) string { return p.Farewell }},
		{"summary", func(p fsm.Prompts) string { return p.Summary }},
		{"reflection", func(p fsm.Prompts) string { return p.Reflection }},
		{"subagent", func(p fsm.Prompts) string { return p.Subagent }},
		{"compress", func(p fsm.Prompts) string { return p.Compress }},
		{"overflow", func(p fsm.Prompts) string { return p.Overflow }},
		{"consolidate", func(p fsm.Prompts) string { return p.Consolidate }},
		{"empty", func(p fsm.Prompts) string { return p.Empty }},
		{"at_limit", func(p fsm.Prompts) string { return p.AtLimit }},
		{"at_length", func(p fsm.Prompts) string { return p.AtLength }},
	}
}

// sections shows the sections of a system prompt, with what is filled in at each
// model call in angle brackets.
func sections(p fsm.Prompts) string {
	filled := map[fsm.Content]string{
		fsm.OfTools:        "<the tools that are offered>",
		fsm.OfAlwaysSkills: "<the skills that are always on>",
		fsm.OfSkills:       "<the skills that can be loaded, marked where they are>",
		fsm.OfSkillList:    "<the skills that can be loaded>",
		fsm.OfLoadedSkills: "<what was loaded>",
		fsm.OfMemory:       "<MEMORY.md>",
	}
	var all []string
	for _, s := range p.Sections {
		part := "## " + s.Title
		if s.Text != "" {
			part += "\n" + s.Text
		}
		if s.Of != fsm.OfText {
			part += "\n" + filled[s.Of]
		}
		all = append(all, part)
	}
	return strings.Join(all, "\n\n")
}
