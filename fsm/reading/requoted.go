package reading

import (
	"encoding/json"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/textcall"
	"shelly/fsm/textcall/mend"
)

// Small models do not escape the quotes in what they write to a file. Where the text ends is then found
// out by what parameters the tool has (INF-25).

// read reads the text of an answer.
func read(c *fsm.Config, set fsm.Toolset, text string) textcall.Reading {
	r := forms(c).Read(text)
	if marks := forms(c).Marks(); r.Fenced && c.Edition >= fsm.SeventeenthEdition {
		if _, marked := marks.First(r.Text, 0); marked { // the words are not only words
			return textcall.Reading{Text: text}
		}
	}
	if len(r.Calls) > 0 || c.Edition < fsm.SeventeenthEdition || forms(c) < textcall.Mended || !strings.ContainsAny(text, "{(") || !namesATool(c, set, text) {
		return r
	}
	if again, ok := forms(c).Requoted(text, arguments(c, set), func(calls []textcall.Call, way mend.Outcome) (mend.Fit, bool) { return fit(c, set, calls, way) }); ok {
		return again
	}
	return r
}

// namesATool reports whether the name of an offered tool is in a text. In most plain answers none is.
func namesATool(c *fsm.Config, set fsm.Toolset, text string) bool {
	return slices.ContainsFunc(c.Offered(set), func(decl fsm.ToolDecl) bool { return strings.Contains(text, decl.Name) })
}

// arguments returns what reports whether an offered tool has a parameter of a name.
func arguments(c *fsm.Config, set fsm.Toolset) func(name string) bool {
	var schemas []schemaHead
	for _, decl := range c.Offered(set) {
		if schema, ok := named(decl.Parameters); ok {
			schemas = append(schemas, schema)
		}
	}
	return func(name string) bool {
		return slices.ContainsFunc(schemas, func(s schemaHead) bool { return s.Properties[name] != nil })
	}
}

// fit counts the arguments of calls. One that is given twice counts as unknown, too. A text that holds what may be
// a missing one is doubted, and so is one with a quote too many that holds what may be any. It returns false if the
// calls cannot be meant: a tool is not offered or does not say what parameters it has, or a required argument
// is missing.
func fit(c *fsm.Config, set fsm.Toolset, calls []textcall.Call, way mend.Outcome) (sum mend.Fit, ok bool) {
	for _, call := range argued(c, set, fsm.Conversation{}, asText(calls, 0)) {
		decl, known := c.Meant(set, call.Name)
		schema, names := named(decl.Parameters)
		var given map[string]json.RawMessage
		if !known || !names || json.Unmarshal([]byte(call.Args), &given) != nil {
			return sum, false
		}
		if _, twice := textcall.Twice(call.Args); twice {
			sum.Unknown++
		}
		if slices.ContainsFunc(schema.Required, func(name string) bool { return given[name] == nil }) {
			return sum, false
		}
		sum.Doubted = sum.Doubted || slices.ContainsFunc(way.Torn, func(name string) bool { return schema.Properties[name] != nil }) ||
			slices.ContainsFunc(way.Held, func(name string) bool { return given[name] == nil && schema.Properties[name] != nil })
		for name := range given { // order-free: each is counted
			if schema.Properties[name] != nil {
				sum.Known++
			} else {
				sum.Unknown++
			}
		}
	}
	return sum, true
}
