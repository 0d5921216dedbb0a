package format

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/strict"
)

func (p fixedPart) draw(sim.Chooser, []fsm.ToolDecl) *strict.Node { return p.Node }

func (p innerPart) draw(c sim.Chooser, tools []fsm.ToolDecl) *strict.Node {
	out := *p.of
	out.Content = make([]*strict.Node, len(p.parts))
	for i, inner := range p.parts {
		out.Content[i] = inner.draw(c, tools)
	}
	return &out
}

func (p onePart) draw(c sim.Chooser, _ []fsm.ToolDecl) *strict.Node {
	return p.of[c.Choose(listed, len(p.of))]
}

func (p textPart) draw(c sim.Chooser, _ []fsm.ToolDecl) *strict.Node {
	return strict.Text(drawText(c, p.Range))
}

func (p numberPart) draw(c sim.Chooser, _ []fsm.ToolDecl) *strict.Node {
	return strict.Number(p.Draw(c, "number"))
}

func (p durationPart) draw(c sim.Chooser, _ []fsm.ToolDecl) *strict.Node {
	return strict.Text(p.Draw(c, "duration"))
}

// Draw draws a number of the range; the first choice is the least.
func (v Range) Draw(c sim.Chooser, label string) int { return v.Min + c.Choose(label, v.Max-v.Min+1) }

const durationScales = 5 // each a quarter of the next

// Draw draws a duration as a scenario has it. Durations are drawn from ranges that
// begin with min, of which each is four times as long as the one before: what races
// races within milliseconds, seconds and minutes.
func (v DurationRange) Draw(c sim.Chooser, label string) string {
	span := int(v.Max - v.Min)
	if span <= 0 {
		return fsm.Millis(v.Min).String()
	}
	span >>= 2 * (durationScales - 1 - c.Choose(label+" scale", durationScales))
	drawn := c.Choose(label, span+1)
	for _, unit := range []int{60_000, 1000, 100, 10} {
		if drawn > 50*unit {
			drawn -= drawn % unit // what people read
			break
		}
	}
	return (fsm.Millis(v.Min) + fsm.Millis(drawn)).String()
}

// textWords are what texts are drawn of: plain ones first, then what the machine or a
// model's server may take for something else.
func textWords() []string {
	return []string{
		"a", "ok", "the", " ", ".", "é", "日本", "😀", "\n", "\"", "\\", "{", "}", "[", "]", "0", "-1", "NEED: ", "NEED:", "null", "/new", "/stop",
		"<think>", "</think>", "<tool_call>", "</tool_call>", `{"name": "exec", "arguments": {}}`, "```json", "<|im_end|>", "Summary of 2 messages.",
	}
}

// drawText draws a text of n characters, none of which is made of a variable.
func drawText(c sim.Chooser, r Range) string {
	length := r.Draw(c, "text length")
	var b strings.Builder
	chars := 0
	for chars < length {
		word := []rune(textWords()[c.Choose("word", len(textWords()))])
		word = word[:min(len(word), length-chars)]
		chars += len(word)
		b.WriteString(string(word))
	}
	return b.String()
}

// draw draws as many calls of the tools as there may be.
func (p callsPart) draw(c sim.Chooser, tools []fsm.ToolDecl) *strict.Node {
	out := strict.List().OnOneLine()
	var names []string
	if names = p.Tools; names == nil {
		for _, t := range tools {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		names = []string{"exec"} // no tool is offered: the model asks all the same
	}
	for range (Range{Min: p.Min, Max: max(p.Min, p.Max)}).Draw(c, "calls") {
		name := names[c.Choose("tool", len(names))]
		call := strict.Map(strict.Text("tool"), strict.Text(name)).OnOneLine()
		if p.Args != "" {
			i := slices.IndexFunc(tools, func(t fsm.ToolDecl) bool { return t.Name == name })
			parameters := ""
			if i >= 0 {
				parameters = tools[i].Parameters
			}
			if args := drawArgs(c, parameters); len(args.Content) > 0 {
				call.Content = append(call.Content, strict.Text("args"), args)
			}
		}
		out.Content = append(out.Content, call)
	}
	return out
}

// parameters is what is read of a tool's JSON schema.
type parameters struct {
	Properties map[string]struct {
		Type string   `json:"type"`
		Enum []string `json:"enum"`
	} `json:"properties"`
	Required []string `json:"required"`
}

// drawArgs draws arguments by a tool's parameters: mostly what is required is there,
// and what is there mostly has its type. A stub states none; its calls get a number, so
// that not all are the same.
func drawArgs(c sim.Chooser, schema string) *strict.Node {
	out := strict.Map().OnOneLine()
	var known parameters
	if schema == "" || json.Unmarshal([]byte(schema), &known) != nil {
		if n := c.Choose("argument", 4); n > 0 {
			out.Content = append(out.Content, strict.Text("n"), numberPart{Range{n, n}}.draw(c, nil))
		}
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(known.Properties)) {
		is := known.Properties[name]
		wanted := c.Choose("argument given", 10) // 0 is as the schema wants it
		if slices.Contains(known.Required, name) == (wanted >= 8) {
			continue
		}
		value := strict.Text(drawText(c, Range{0, 8}))
		switch {
		case len(is.Enum) > 0 && c.Choose("argument fits", 10) < 9:
			value = strict.Text(is.Enum[c.Choose("word", len(is.Enum))])
		case is.Type == "integer" && c.Choose("argument fits", 10) < 9:
			value = numberPart{Range{0, 7200}}.draw(c, nil)
		}
		out.Content = append(out.Content, strict.Text(name), value)
	}
	return out
}
