package fsm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NeedMarker begins the first non-blank line of an answer that describes
// information the model lacks (HND-5).
const NeedMarker = "NEED:"

// NothingMarker is the answer to an input that no person gave, if there is nothing to tell
// (HND-63).
const NothingMarker = "NOTHING"

// SaysNothing reports whether an answer is [NothingMarker], however it is written and marked up.
func SaysNothing(text string) bool {
	return strings.EqualFold(strings.Trim(text, " \t\r\n.!*_`\"'“”()[]"), NothingMarker)
}

// Prompts are the fixed texts sent to the model. [Prompts.Fill] replaces {name}, {user},
// {persona}, {workspace} and {system} in them.
type Prompts struct {
	Identity    string    `json:"identity"`                         // the system prompt, or its first part
	Sections    []Section `json:"sections,omitempty"`               // the further parts
	Question    string    `json:"question" empty:"ok"`              // asked before the input, in cognition
	Init        string    `json:"init"`                             // the input of the initial inference
	Farewell    string    `json:"farewell"`                         // the input of the farewell
	Summary     string    `json:"summary"`                          // asked after a handle's messages
	Reflection  string    `json:"reflection,omitempty" empty:"ok"`  // said after the results of tools; empty: nothing is
	Subagent    string    `json:"subagent,omitempty" empty:"ok"`    // a subagent's system prompt
	Compress    string    `json:"compress,omitempty" empty:"ok"`    // asked after the old turns of a conversation that is too long
	Overflow    string    `json:"overflow,omitempty" empty:"ok"`    // asked after the messages that leave a history; the answer goes after MEMORY.md
	Consolidate string    `json:"consolidate,omitempty" empty:"ok"` // asked before a history that is consolidated
	Empty       string    `json:"empty,omitempty" empty:"ok"`       // said after an answer with neither text nor calls
	AtLimit     string    `json:"at_limit,omitempty" empty:"ok"`    // the notice of a cap; {n} is the cap, {limit} its name
	AtLength    string    `json:"at_length,omitempty" empty:"ok"`   // the notice of a cut answer
}

// Section is one part of a system prompt under a title of its own. A part with
// nothing to show is left out.
type Section struct {
	Title     string  `json:"title"`
	Text      string  `json:"text,omitempty"` // comes before what Of adds
	Of        Content `json:"of,omitempty"`
	Needs     string  `json:"needs,omitempty"`     // tools, separated by blanks; if one is missing, the part is left out
	Subagents bool    `json:"subagents,omitempty"` // a subagent's system prompt has it, too
}

// Content is what a section shows of the machine's state at each model call.
type Content string

// Nothing but the text; the declared tools; the instructions of skills that are always on;
// the skills that can be loaded, with a mark on loaded ones, or as a list that never
// changes; the loaded instructions and references; MEMORY.md.
const (
	OfText         Content = ""
	OfTools        Content = "tools"
	OfAlwaysSkills Content = "always_skills"
	OfSkills       Content = "skills"
	OfSkillList    Content = "skill_list"
	OfLoadedSkills Content = "loaded_skills"
	OfMemory       Content = "memory"
)

// About is what the texts of a profile may mention.
type About struct {
	Name      string // of the agent
	User      string // how the person is addressed
	Persona   string
	Workspace string // the folder of the tools
	System    string // the operating system
}

// Fill returns p with each {word} replaced by what it stands for.
func (p Prompts) Fill(a About) Prompts {
	r := strings.NewReplacer("{name}", a.Name, "{user}", a.User, "{persona}", a.Persona, "{workspace}", a.Workspace, "{system}", a.System)
	for _, text := range []*string{
		&p.Identity, &p.Question, &p.Init, &p.Farewell, &p.Summary, &p.Reflection, &p.Subagent,
		&p.Compress, &p.Overflow, &p.Consolidate, &p.Empty,
	} {
		*text = r.Replace(*text)
	}
	sections := make([]Section, len(p.Sections))
	for i, s := range p.Sections {
		s.Text = r.Replace(s.Text)
		sections[i] = s
	}
	p.Sections = sections
	if len(sections) == 0 {
		p.Sections = nil
	}
	return p
}

// DefaultPrompts returns the texts used unless the configuration has others.
func DefaultPrompts() Prompts {
	return Prompts{
		Identity: "You are shelly, an agent that runs as a process on this machine. " +
			"You act only through the tools offered to you, inside the workspace they are bound to, with the rights of that process. " +
			"You run in a loop: you answer or call tools, you see each result, and you go on until the task is done. " +
			"Nothing is carried over between inputs except what you remember.",
		Question: "Given this input, can you respond directly or act with tools? " +
			"If not, describe what information you need: answer with one line that begins with " + NeedMarker + " and says what to look up in memory.",
		Init: "You just started. You know nothing about this machine.\nExplore your environment and report what you find.",
		Farewell: "The system is shutting down. Finish what must not be left undone, " +
			"save what should be kept, and say in one sentence what you did.",
		Summary: "Summarise this exchange for your memory in one to three sentences: what was asked, what was done, what was found. " +
			"Answer with the summary alone.",
	}
}

// Ask returns the user message of a cognition round's first inference. Without a question
// it is the input alone: the system prompt says how a need is marked.
func (p Prompts) Ask(input string) string {
	if p.Question == "" {
		return input
	}
	return p.Question + "\n\nInput:\n" + input
}

// PromptBytesMax is the longest text that is configured in place of a profile's.
const PromptBytesMax = 64 << 10

// CheckPrompt rejects a configured text that no model should be sent.
func CheckPrompt(text string) error {
	switch {
	case len(text) > PromptBytesMax:
		return fmt.Errorf("is %d bytes long; the most is %d", len(text), PromptBytesMax)
	case !utf8.ValidString(text):
		return errors.New("is not UTF-8 text")
	case strings.ContainsRune(text, utf8.RuneError):
		return errors.New("holds U+FFFD, which stands for a character that could not be read")
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) }):
		return errors.New("holds a control character")
	}
	return nil
}

// NeedUntold is what is wrong with prompts by which a model in cognition cannot ask for memory.
const NeedUntold = "does not name the marker " + NeedMarker + " that asks for memory, and neither does the system prompt"

// TellsNeed reports whether the prompt says how to ask for memory.
func (p Prompts) TellsNeed() bool {
	told := p.Question + p.Identity
	for _, s := range p.Sections {
		told += s.Text
	}
	return strings.Contains(told, NeedMarker)
}

// TellSubagents puts a configured identity before the profile's prompt of subagents, if it has one
// (SKL-15).
func (p *Prompts) TellSubagents() {
	if p.Subagent != "" {
		p.Subagent = p.Identity + "\n\n" + p.Subagent
	}
}

// Recap returns the message that asks for the summary of n turns.
func (p Prompts) Recap(turns int) string {
	return strings.ReplaceAll(p.Summary, "{n}", strconv.Itoa(turns))
}

// Need returns the information need in an answer, or false if it has none. The marker alone
// decides: the first non-blank line begins with it.
func Need(text string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), NeedMarker)
	return strings.TrimSpace(rest), ok
}

// WithoutNeed returns an answer without its markers, where they mean nothing (HND-11).
func WithoutNeed(text string) string {
	for {
		n, ok := Need(text)
		if !ok {
			return text
		}
		text = n
	}
}

// CapNotice returns the notice that a cap was reached.
func (p *Prompts) CapNotice(n int, limit string) string {
	return strings.NewReplacer("{n}", strconv.Itoa(n), "{limit}", limit).Replace(p.AtLimit)
}

// Shows reports whether the system prompt has a section with the given content.
func (p *Prompts) Shows(of Content) bool {
	return slices.ContainsFunc(p.Sections, func(s Section) bool { return s.Of == of })
}
