package expression

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
)

// vocabulary is what the texts of a part of the state can be, or those of each entry of a list. Without
// words it is the case that knows them; without a name nothing is known of the part.
type vocabulary struct {
	what  string
	words []string
}

const (
	session = "session"
	request = "request"
)

// called checks the words that a function is given: a part of a text, or conditions on each entry of a
// list of words, which # is.
func (r *rules) called(n *ast.BuiltinNode) {
	if len(n.Arguments) != 2 {
		return
	}
	switch n.Name {
	case "hasPrefix", "hasSuffix", "indexOf":
		r.part(n.Arguments[0], n.Name, n.Arguments[1])
	}
	each, ok := n.Arguments[1].(*ast.PredicateNode)
	inner := func(n ast.Node) bool { _, is := n.(*ast.PredicateNode); return is }
	if of := r.wordsOf(n.Arguments[0]); ok && of.what != "" && ast.Find(each.Node, inner) == nil { // one within it has entries of its own
		outer := r.entry
		r.entry = of
		ast.Walk(&each.Node, entries{r})
		r.entry = outer
	}
}

// entries checks the words of a condition in which # is an entry of a list of words.
type entries struct{ *rules }

// Visit implements ast.Visitor.
func (e entries) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		e.compared(n)
	case *ast.BuiltinNode:
		e.called(n)
	}
}

// compared checks texts against the words that the part they are compared with can be:
// a condition on a state that there is not would never fail.
func (r *rules) compared(n *ast.BinaryNode) {
	switch n.Operator {
	case "==", "!=":
		r.each(r.wordsOf(n.Left), n.Right)
		r.each(r.wordsOf(n.Right), n.Left)
	case "in":
		r.each(r.wordsOf(n.Left), n.Right)
		r.each(r.wordsOf(n.Right), n.Left)
	case "contains", "startsWith", "endsWith", "matches":
		r.part(n.Left, n.Operator, n.Right)
	}
}

// each checks a text, or each of a list.
func (r *rules) each(of vocabulary, with ast.Node) {
	list := []ast.Node{with}
	if array, ok := with.(*ast.ArrayNode); ok {
		list = array.Nodes
	}
	for _, one := range list {
		if text, ok := one.(*ast.StringNode); ok && of.what != "" {
			r.word(text, of)
		}
	}
}

func (r *rules) word(text *ast.StringNode, of vocabulary) {
	if slices.Contains(of.words, string(state.Broken)) {
		text.Value = string(fsm.InferenceState(fsm.State(text.Value))) // INF-30
	}
	switch {
	case text.Value == "" || slices.Contains(of.words, text.Value):
	case of.words != nil:
		r.refuse(text.Location(), wording.Unknown(of.what, text.Value, of.words))
	default:
		if r.said == nil {
			r.said = map[string][]string{}
		}
		r.said[of.what] = append(r.said[of.what], text.Value)
	}
}

// part checks what a word is to hold, begin or end with, or match: some word must.
func (r *rules) part(of ast.Node, operator string, with ast.Node) {
	text, ok := with.(*ast.StringNode)
	known := r.wordsOf(of)
	if !ok || known.words == nil {
		return
	}
	fits, says := strings.Contains, " contains "
	switch operator {
	case "startsWith", "hasPrefix":
		fits, says = strings.HasPrefix, " begins with "
	case "endsWith", "hasSuffix":
		fits, says = strings.HasSuffix, " ends with "
	case "matches":
		pattern, err := regexp.Compile(text.Value)
		if err != nil {
			return // the compiler says so
		}
		fits, says = func(word, _ string) bool { return pattern.MatchString(word) }, " matches "
	}
	if !fits("", text.Value) && !slices.ContainsFunc(known.words, func(word string) bool { return fits(word, text.Value) }) {
		r.refuse(text.Location(), "no "+known.what+says+strconv.Quote(text.Value)+"; allowed: "+strings.Join(known.words, ", "))
	}
}

// wordsOf is what a part of an expression can be, or each of its entries.
func (r *rules) wordsOf(n ast.Node) vocabulary {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		switch n.Value {
		case "lifecycle", "input", "crashed_in", "effects":
			return vocabularyOf(n.Value)
		}
	case *ast.PointerNode:
		return r.entry
	case *ast.ChainNode:
		return r.wordsOf(n.Node)
	case *ast.PredicateNode:
		return r.wordsOf(n.Node)
	case *ast.ConditionalNode:
		return r.either(n.Exp1, n.Exp2)
	case *ast.MemberNode:
		if property, ok := n.Property.(*ast.StringNode); ok {
			return vocabularyOf(property.Value)
		}
		return r.wordsOf(n.Node) // one of a list
	case *ast.BuiltinNode:
		return r.wordsOfCall(n)
	}
	return vocabulary{}
}

// wordsOfCall is what a function makes of words.
func (r *rules) wordsOfCall(n *ast.BuiltinNode) vocabulary {
	if len(n.Arguments) == 0 {
		return vocabulary{}
	}
	of := r.wordsOf(n.Arguments[0])
	switch n.Name {
	case "first", "last", "find", "findLast", "filter", "sort", "uniq", "reverse", "trim":
		return of
	case "map":
		outer := r.entry
		r.entry = of
		of = r.wordsOf(n.Arguments[1])
		r.entry = outer
		return of
	case "lower", "upper":
		letters := strings.ToLower
		if n.Name == "upper" {
			letters = strings.ToUpper
		}
		var words []string
		for _, word := range of.words {
			words = append(words, letters(word))
		}
		if words != nil {
			return vocabulary{of.what, words}
		}
	}
	return vocabulary{}
}

// either is what one of two parts can be, where one is a word and the other is, too, or a text.
func (r *rules) either(one, other ast.Node) vocabulary {
	a, b := r.wordsOf(one), r.wordsOf(other)
	if text, ok := one.(*ast.StringNode); ok {
		a = vocabulary{b.what, []string{text.Value}}
	}
	if text, ok := other.(*ast.StringNode); ok {
		b = vocabulary{a.what, []string{text.Value}}
	}
	if a.words == nil || b.words == nil {
		return vocabulary{}
	}
	return vocabulary{a.what, slices.Concat(a.words, b.words)}
}

// vocabularyOf is what there can be by a name.
func vocabularyOf(name string) vocabulary {
	switch name {
	case "effects":
		return vocabulary{"effect", EffectKinds()}
	case "lifecycle":
		return vocabulary{"state of the lifecycle", StatesOf(&state.Lifecycle)}
	case "state":
		return vocabulary{"state of an unfinished handle", slices.DeleteFunc(StatesOf(&state.HandleTable), func(s string) bool {
			return slices.Contains(state.HandleTable.Final, fsm.State(s))
		})}
	case "inference":
		return vocabulary{"state of an inference", StatesOf(&state.InferenceTable)}
	case "input":
		return vocabulary{"input", InputKinds()}
	case "crashed_in":
		return vocabulary{"state", slices.Concat(StatesOf(&state.InferenceTable), StatesOf(&state.HandleTable), StatesOf(&state.Lifecycle))}
	case "kind":
		return vocabulary{"kind", handleKinds()}
	case session, request:
		return vocabulary{what: name}
	default:
		return vocabulary{}
	}
}

func StatesOf(t *state.Table) []string {
	words := []string{string(t.Initial)}
	for _, row := range t.Rows {
		if !slices.Contains(words, string(row.To)) {
			words = append(words, string(row.To))
		}
	}
	return words
}

func handleKinds() []string {
	var words []string
	for _, k := range []fsm.Kind{
		fsm.KindUser, fsm.KindEvent, fsm.KindInit, fsm.KindFarewell, fsm.KindSystem, fsm.KindSchedule, fsm.KindSubagent, fsm.KindMemory,
	} {
		words = append(words, string(k))
	}
	return words
}

func InputKinds() []string {
	var kinds []string
	for _, fact := range fsm.Facts() {
		kinds = append(kinds, fsm.InputKind(fsm.Input{Fact: fact}))
	}
	return kinds
}

func EffectKinds() []string {
	var kinds []string
	for _, e := range fsm.Effects() {
		kinds = append(kinds, fsm.EffectKind(e))
	}
	return kinds
}
