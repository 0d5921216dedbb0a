package reading

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/textcall"
)

// Small models write tool calls as text. Package textcall reads such a text; whether it is
// a call is decided here.

// Understood is what an answer of the model means.
type Understood struct {
	Calls []fsm.ToolCall // to be run
	Text  string         // what is said apart from them
	// Unrunnable: a call was meant that cannot be run, and the model is asked again (INF-29).
	Unrunnable bool
}

// Understand reads an answer to talk, under a configuration, with a set of tools offered.
// Calls of tools that were not offered are not taken (INF-12). answer is the answer's
// number in its inference; calls written as text are named after it.
func Understand(c *fsm.Config, set fsm.Toolset, talk fsm.Conversation, in fsm.BrainAnswered, answer int) Understood {
	if c.Switches.Reading != fsm.ReadingCareful {
		return understoodFirst(c, set, in, answer)
	}
	r := read(c, set, in.Text)
	plain := Understood{Calls: argued(c, set, talk, in.Calls), Text: in.Text}
	if len(r.Calls) == 0 && !r.Tagged {
		plain.Text = r.Text
	}
	switch {
	case set == fsm.NoTools:
		return Understood{Text: plain.Text}
	case len(in.Calls) > 0, !in.AsText && !c.Switches.TextCalls:
		return plain
	}
	if r.Fenced && !in.AsText && !insists(c, talk.Messages) {
		return plain
	}
	offered := offersAll(c, set, r)
	_, begins := c.Declared(set, r.Begins)
	action := actionCall(c, set, in.Text)
	if !r.Tagged && !begins && !action && (len(r.Calls) == 0 || !offered) || quoted(c, in.Text, r, talk) {
		return plain
	}
	if !offered || len(r.Calls) == 0 || !in.AsText && !insists(c, talk.Messages) && !harmless(c, set, r) {
		return Understood{Text: in.Text, Unrunnable: true}
	}
	return Understood{Calls: argued(c, set, talk, asText(r.Calls, answer)), Text: r.Text}
}

// forms returns the forms that calls written as text are read in.
func forms(c *fsm.Config) textcall.Forms {
	if c.Edition < fsm.SixteenthEdition || c.Switches.Reading != fsm.ReadingCareful {
		return textcall.Second
	}
	if c.Edition < fsm.EighteenthEdition {
		return textcall.Mended
	}
	return textcall.Verbatim
}

// harmless reports whether a model with native calls has written calls and nothing else, of tools
// without effects: if it was only showing them, they do no harm, and if it meant them, it is spared
// being asked (INF-29).
func harmless(c *fsm.Config, set fsm.Toolset, r textcall.Reading) bool {
	return c.Edition >= fsm.SixteenthEdition && r.Text == "" && !slices.ContainsFunc(r.Calls, func(call textcall.Call) bool {
		decl, _ := c.Meant(set, call.Name)
		return decl.Effects != fsm.EffectsNone || decl.Approve || len(decl.Rules) > 0
	})
}

// insists reports whether a model with native calls, asked for one in place of a call that it had
// written as text, writes another one, now or earlier in the conversation (INF-29).
func insists(c *fsm.Config, talk []fsm.Message) bool {
	if c.Edition < fsm.FourteenthEdition || len(talk) == 0 {
		return false
	}
	last := &talk[len(talk)-1]
	return last.Aside && last.Text == c.Words.Text(fsm.WordCallUntaken) || slices.ContainsFunc(talk, func(msg fsm.Message) bool {
		return slices.ContainsFunc(msg.Calls, func(call fsm.ToolCall) bool { return call.Text })
	})
}

// understoodFirst reads an answer as the first edition did.
func understoodFirst(c *fsm.Config, set fsm.Toolset, in fsm.BrainAnswered, answer int) Understood {
	if set == fsm.NoTools {
		return Understood{Text: in.Text}
	}
	if len(in.Calls) == 0 && (c.Switches.TextCalls || in.AsText) {
		if calls, ok := textcall.First(in.Text); ok && offersAll(c, set, textcall.Reading{Calls: calls}) {
			return Understood{Calls: asText(calls, answer)}
		}
	}
	return Understood{Calls: in.Calls, Text: in.Text, Unrunnable: len(in.Calls) == 0 && c.Switches.TextCalls && actionCall(c, set, in.Text)}
}

// offersAll reports whether each call names a tool that is offered. A line of a program may call anything
// that is like the name of a tool, so there it has to be the name. So may an object that was asked for: one that
// nothing marks as a call has to have the arguments of the tool.
func offersAll(c *fsm.Config, set fsm.Toolset, r textcall.Reading) bool {
	return !slices.ContainsFunc(r.Calls, func(call textcall.Call) bool {
		_, known := c.Declared(set, call.Name)
		if !known && !strings.Contains(r.Written, call.Name+"(") {
			var decl fsm.ToolDecl
			decl, known = c.Meant(set, call.Name)
			known = known && (r.Tagged || c.Edition < fsm.TwentiethEdition || suits(&decl, call.Args))
		}
		return !known
	})
}

// asText returns calls for the machine, marked as written in text.
func asText(calls []textcall.Call, answer int) []fsm.ToolCall {
	list := make([]fsm.ToolCall, len(calls))
	for i, call := range calls {
		list[i] = fsm.ToolCall{ID: "text_" + strconv.Itoa(answer) + "_" + strconv.Itoa(i), Name: call.Name, Args: call.Args, Text: true}
	}
	return list
}

// actionCall reports whether a text is a call in the form of ReAct: after a thought, if
// there is one, a line "Action: NAME" of a tool that is offered, and a line "Action
// Input:". Its input is not an object, and its observations are made up, so it cannot be
// run (INF-29).
func actionCall(c *fsm.Config, set fsm.Toolset, text string) bool {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "Thought:") && !strings.HasPrefix(text, "Action:") {
		return false
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines[:len(lines)-1] {
		name, ok := strings.CutPrefix(line, "Action:")
		if !ok || !strings.HasPrefix(strings.TrimSpace(lines[i+1]), "Action Input:") {
			continue
		}
		if _, known := c.Meant(set, strings.TrimSpace(name)); known {
			return true
		}
	}
	return false
}

// GivesTwice returns an argument that a call gives twice, so that it is unclear which of
// the two is meant (INF-41).
func GivesTwice(c *fsm.Config, call fsm.ToolCall) (key string, twice bool) {
	if c.Switches.Reading != fsm.ReadingCareful {
		return "", false
	}
	return textcall.Twice(call.Args)
}
