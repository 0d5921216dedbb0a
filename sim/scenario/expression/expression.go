// Package expression evaluates conditions on the state after each step of a run (SCN-31).
// The type State lists the names that they can speak of; the language is that of
// expr-lang.org, without what is no function of its operands alone.
package expression

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
	"shelly/sim/scenario/data"
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
	Pos     strict.Pos
	text    string
	program *vm.Program
	shows   []shows  // the values that a failure shows
	names   []string // of the state that occur in it
	fields  []string // the fields of handles that occur in it
	tools   []string // the tools whose starts it speaks of
	said    map[string][]string
}

// shows is a part of an expression whose value says why it is false.
type shows struct {
	text    string
	program *vm.Program
}

func (v *Expression) Read(d *strict.Decoder, n *strict.Node, path string) {
	v.Pos = n.Pos
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

// Tools are those whose starts it speaks of by their names.
func (v *Expression) Tools() []string { return v.tools }

// Sessions are those that it compares the session of a handle with.
func (v *Expression) Sessions() []string { return v.said[session] }

// Requests are the ids that it compares the request of a handle with.
func (v *Expression) Requests() []string { return v.said[request] }

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
	v.program, v.names, v.fields, v.tools, v.said = program, rules.names, rules.fields, rules.tools, rules.said
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
	return []expr.Option{expr.Env(&State{}), expr.Optimize(false), expr.MaxNodes(expressionNodesMax)}
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
		text = wording.Unknown("name", name, slices.Concat(exprNames(reflect.TypeFor[State]()), functionNames()))
	}
	if strings.HasPrefix(text, `unexpected token Operator("=")`) {
		text = "= compares nothing; write ==, <= or >="
	}
	if strings.HasPrefix(text, "array elements can only be selected") {
		text = "a list has no fields; write count(handles, .state == 'queued'), or any, all, filter or map"
	}
	handle, limits := reflect.TypeFor[handleState](), reflect.TypeFor[limitState]()
	if _, field, found := strings.Cut(text, "type "+handle.String()+" has no field "); found {
		text = wording.Unknown("field of a handle", field, exprNames(handle))
	}
	if _, field, found := strings.Cut(text, "type "+limits.String()+" has no field "); found {
		text = wording.Unknown("limit", field, exprNames(limits))
	}
	text = strings.NewReplacer(handle.String(), "handle", limits.String(), "limits", "unexpected token EOF", endsTooSoon).Replace(text)
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

// Evaluation evaluates one expression over a run.
type Evaluation struct {
	Of       *Expression
	passes   int
	Verdicts []Verdict // after each step
}

// Verdict is whether an expression holds after a step, or why that cannot be said:
// there is no such handle, or it costs too much.
type Verdict struct {
	Holds bool
	Err   error
}

// Step evaluates the expression after a step.
func (e *Evaluation) Step(s *State) {
	s.Tick = func() (bool, error) {
		if e.passes++; e.passes > expressionPassesMax {
			return false, fmt.Errorf("costs too much: more than %d passes of its loops in one run", expressionPassesMax)
		}
		return true, nil
	}
	result, err := run(e.Of.program, s)
	holds, _ := result.(bool)
	e.Verdicts = append(e.Verdicts, Verdict{holds, err})
}

// Now evaluates the expression of one state alone; it has the whole of what an expression
// may cost. Several may be evaluated at the same time, as the workers of a walk do (SIM-36).
func (v *Expression) Now(s *State) (bool, error) {
	e := Evaluation{Of: v}
	e.Step(s)
	return e.Verdicts[0].Holds, e.Verdicts[0].Err
}

// Names reports whether the expression speaks of something by name.
func (v *Expression) Names(name string) bool { return slices.Contains(v.names, name) }

// Momentary reports whether one step and the state after it decide the expression.
func (v *Expression) Momentary() bool {
	whole := []string{"now", "step", "epoch", "crashes", "requests", "replies", "asked", "sent", "read", "written", "tools", "memory"}
	return !slices.ContainsFunc(whole, v.Names) && !slices.Contains(v.fields, "age")
}

func run(p *vm.Program, s *State) (any, error) {
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

// Values are the values of the names that occur in the expression, on one line.
func (v *Expression) Values(s *State) string {
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
func (v *Expression) valueOf(got any) data.Value {
	switch got := got.(type) {
	case int:
		return data.Int(got)
	case bool:
		return data.Bool(got)
	case string:
		return data.Text(got)
	case []string:
		return data.List(got, data.Text)
	case []handleState:
		return data.List(got, v.handleValue)
	case handleState:
		return v.handleValue(got)
	case map[string]int:
		m := data.Map("")
		for _, name := range slices.Sorted(maps.Keys(got)) {
			m.Members = append(m.Members, data.With(name, data.Int(got[name])))
		}
		return m
	default:
		return data.Text("…")
	}
}

func (v *Expression) handleValue(h handleState) data.Value {
	m := data.Map("")
	fields := reflect.ValueOf(h)
	for i, name := range exprNames(fields.Type()) {
		if name == "id" || slices.Contains(v.fields, name) {
			m.Members = append(m.Members, data.With(name, v.valueOf(fields.Field(i).Interface())))
		}
	}
	return m
}
