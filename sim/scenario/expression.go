package scenario

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// The limits on an expression, which keep a run-away one from hanging a run.
const (
	expressionBytesMax  = 2_000     // its length
	expressionNodesMax  = 300       // its names, values and operators
	expressionPassesMax = 5_000_000 // passes of its loops (all, any, filter, …) in one run
	expressionMemoryMax = 100_000   // list entries that one evaluation may make
)

const endsTooSoon = "the expression ends too soon"

// Expression is a condition on the state after a step (SCN-31), in the language of
// expr-lang.org without what is no function of its operands alone. Its names are
// those of the state.
type Expression struct {
	pos     strict.Pos
	text    string
	program *vm.Program
	shows   []shows  // the values that a failure shows
	names   []string // of the state that occur in it
	fields  []string // the fields of handles that occur in it
}

// shows is a part of an expression whose value says why it is false.
type shows struct {
	text    string
	program *vm.Program
}

func (v *Expression) Read(d *strict.Decoder, n *strict.Node, path string) {
	v.pos = n.Pos
	text, ok := d.Text(n, path)
	switch {
	case !ok:
		return
	case strings.TrimSpace(text) == "":
		d.Add(n, path, "the expression is empty")
		return
	case len(text) > expressionBytesMax:
		d.Add(n, path, fmt.Sprintf("the expression is too long; the limit is %d bytes", expressionBytesMax))
		return
	}
	v.text = strings.Join(strings.Fields(text), " ")
	if wrong := v.compile(text); wrong != nil {
		if wrong.text == endsTooSoon && n.Style == strict.Plain {
			wrong.text += "; quote it where it has a # or, in { } or [ ], a comma"
		}
		d.Problems = append(d.Problems, strict.Problem{Pos: d.Sources.Within(n, wrong.line, wrong.col), Path: path, Text: wrong.text})
	}
}

// String is the expression on one line.
func (v *Expression) String() string { return v.text }

// expressionError is what is wrong with an expression, at a place in its text: the
// line from 1, the column in characters from 0.
type expressionError struct {
	line, col int
	text      string
}

// compile makes the program of an expression. Constants are not folded, so that
// compiling costs no more than the text is long.
func (v *Expression) compile(text string) *expressionError {
	rules := &rules{}
	program, err := expr.Compile(text, append(languageOptions(),
		expr.AsBool(), expr.WarnOnAny(), expr.Patch(durations{rules}), expr.Patch(rules), expr.Patch(meter{}))...)
	if wrong := rules.wrong(text); wrong != nil {
		return wrong
	}
	if err != nil {
		return worded(err)
	}
	v.program, v.names, v.fields = program, rules.names, rules.fields
	for i, part := range rules.shown {
		if slices.Contains(rules.shown[:i], part) {
			continue
		}
		if p, err := expr.Compile(part, languageOptions()...); err == nil {
			v.shows = append(v.shows, shows{part, p})
		}
	}
	return nil
}

func languageOptions() []expr.Option {
	return []expr.Option{expr.Env(&state{}), expr.Optimize(false), expr.MaxNodes(expressionNodesMax)}
}

// worded is the compiler's error for whoever wrote the file.
func worded(err error) *expressionError {
	var e *file.Error
	if !errors.As(err, &e) {
		text := err.Error()
		if kind, found := strings.CutPrefix(text, "expected bool, but got "); found {
			text = "is no condition: it is " + typeName(kind) + ", not true or false"
		}
		return &expressionError{1, 0, text}
	}
	text := e.Message
	if strings.Contains(text, "maximum allowed nodes") {
		text = fmt.Sprintf("the expression is too long; the limit is %d names, values and operators", expressionNodesMax)
	}
	if name, found := strings.CutPrefix(text, "unknown name "); found {
		text = wording.Unknown("name", name, slices.Concat(exprNames(reflect.TypeFor[state]()), functionNames()))
	}
	if _, rest, found := strings.Cut(text, "type scenario."); found {
		of, field, _ := strings.Cut(rest, " has no field ")
		names, what := exprNames(reflect.TypeFor[handleState]()), "field of a handle"
		if of == "limitState" {
			names, what = exprNames(reflect.TypeFor[limitState]()), "limit"
		}
		text = wording.Unknown(what, field, names)
	}
	text = strings.NewReplacer("scenario.handleState", "handle", "scenario.limitState", "limits", "unexpected token EOF", endsTooSoon).Replace(text)
	return &expressionError{e.Line, e.Column, text}
}

// typeName names a Go type for people.
func typeName(kind string) string {
	switch kind {
	case "int", "float64":
		return "a number"
	case "string":
		return "a text"
	default:
		return "neither"
	}
}

// evaluation evaluates one expression over a run.
type evaluation struct {
	of       *Expression
	passes   int
	verdicts []verdict // after each step
}

// verdict is whether an expression holds after a step, or why that cannot be said:
// there is no such handle, or it costs too much.
type verdict struct {
	holds bool
	err   error
}

// step evaluates the expression after a step.
func (e *evaluation) step(s *state) {
	s.Tick = func() (bool, error) {
		if e.passes++; e.passes > expressionPassesMax {
			return false, fmt.Errorf("costs too much: more than %d passes of its loops in one run", expressionPassesMax)
		}
		return true, nil
	}
	result, err := run(e.of.program, s)
	holds, _ := result.(bool)
	e.verdicts = append(e.verdicts, verdict{holds, err})
}

func run(p *vm.Program, s *state) (any, error) {
	machine := vm.VM{MemoryBudget: expressionMemoryMax}
	result, err := machine.Run(p, s)
	var e *file.Error
	switch {
	case err == nil:
		return result, nil
	case errors.As(err, &e) && strings.Contains(e.Message, "memory budget"):
		return nil, errors.New("costs too much: the lists that it makes are too long")
	case errors.As(err, &e):
		return nil, errors.New(strings.ReplaceAll(e.Message, "<nil>", "nothing"))
	default:
		return nil, err
	}
}

// values are the values of the names that occur in the expression, on one line.
func (v *Expression) values(s *state) string {
	var parts []string
	for _, part := range v.shows {
		got, err := run(part.program, s)
		if err != nil {
			continue // the expression itself has met it too
		}
		parts = append(parts, part.text+" = "+v.valueOf(got).String())
	}
	return strings.Join(parts, ", ")
}

// valueOf is a value of the state as failures show it: of handles the id and the
// fields that occur in the expression.
func (v *Expression) valueOf(got any) value {
	switch got := got.(type) {
	case int:
		return intValue(got)
	case bool:
		return boolValue(got)
	case string:
		return textValue(got)
	case []string:
		return listValue(got, textValue)
	case []handleState:
		return listValue(got, v.handleValue)
	case handleState:
		return v.handleValue(got)
	case map[string]int:
		m := mapValue("")
		for _, name := range slices.Sorted(maps.Keys(got)) {
			m.members = append(m.members, with(name, intValue(got[name])))
		}
		return m
	default:
		return textValue("…")
	}
}

func (v *Expression) handleValue(h handleState) value {
	m := mapValue("")
	fields := reflect.ValueOf(h)
	for i, name := range exprNames(fields.Type()) {
		if name == "id" || slices.Contains(v.fields, name) {
			m.members = append(m.members, with(name, v.valueOf(fields.Field(i).Interface())))
		}
	}
	return m
}
