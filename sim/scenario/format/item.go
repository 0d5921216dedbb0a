package format

import (
	"iter"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// Item is a pattern for events of the trace: a map of some of
//
//	tool: exec            a tool is started
//	args: {path: /var}    (tool) what it is called with
//	attempt: 2            (tool) the number of the start
//	ask: answer           the model is asked for a purpose
//	call: exec            the model asks for a tool, whatever comes of it: a tool, or {tool, args, declared}
//	recall: text          memory is asked for a need
//	store: text           an entry is stored: a summary, or {summary, text, kind, session}
//	reply: text           a final reply: a text, or {id, text, is_error}
//	notice: deferred      a notice: a word, or {id, notice}
//	report: text          a word to the operator: a text, or {of, text}
//	message: text         a message to a chat: a text, or {channel, chat, session, text, is_error}
//	question: approve     a person is asked: a word, or {question, id, session, tool, args}
//	audit: exec           a tool call has ended: a tool, or {tool, args, result, failed, attempts, …}
//	load: session         a session is loaded
//	save: session         a session is saved
//	skill: name           a skill is loaded
//	reference: name       (skill) which of its documents
//	schedule: id          a schedule is armed
//	timer: backoff        a timer is armed for a purpose
//	after: 1s             (timer) for how long
//	exit: clean           the process is asked to end
//	state: cognition      a state is entered
//	table: handle         (state) of lifecycle, handle or inference
//	input: tool_answered  a fact is given to the machine, by its kind
//	effect: set_timer     an effect, by its kind
//	handle: 2             the number of the handle concerned
//	session: name         the session of a model call, a tool, a load or a save
//	channel: name         (tool) the channel of whom it works for
//	chat: name            (tool) the chat of whom it works for
//
// Each is a matcher.
type Item struct{ match.Matcher }

func itemKeys() []string {
	return []string{
		"tool", "args", "attempt", "ask", "call", "recall", "store", "reply", "notice", "report", "exit",
		"message", "question", "audit", "load", "save", "skill", "reference", "schedule", "timer", "after",
		"state", "table", "input", "effect", "handle", "session",
		"channel", "chat",
	}
}

func (v *Item) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Kind != strict.MapKind {
		d.Add(n, path, "wants a map such as {tool: exec}, found "+n.String())
		return
	}
	known := len(d.Problems)
	v.Matcher.Read(d, n, path)
	if len(d.Problems) > known {
		return
	}
	if v.Keys() == nil {
		d.Add(n, path, "wants a map such as {tool: exec}")
		return
	}
	for _, key := range v.Keys() {
		if !slices.Contains(itemKeys(), key) {
			d.Problems = append(d.Problems, strict.Problem{Pos: v.At(key), Path: strict.Member(path, key), Text: wording.Unknown("key", key, itemKeys())})
			return
		}
	}
	d.Problems = append(d.Problems, foreign(path, &v.Matcher, "", ShapeOf("item"))...)
	v.rename()
}

// Unknown are the words that no event has: never would hold, and when would never come,
// whatever the run does (SCN-56).
func (v *Item) Unknown(path string) (problems []strict.Problem) {
	for _, key := range v.Keys() {
		known := v.words(key)
		for _, word := range v.Member(key).Gathered() {
			text, _ := word.Text()
			if known == nil || !word.NoneOf(known) || key == "state" && slices.Contains(known, inferenceState(text)) {
				continue
			}
			problems = append(problems, strict.Problem{Pos: word.Pos(), Path: path, Text: noWord(key, word, known)})
		}
	}
	return problems
}

// Occurrence is what events of one sort can have.
type Occurrence struct {
	Effect string   // its kind; empty: it is not an effect
	Keys   []string // of an item
}

// Occurrences are the sorts of events with keys of their own. Any other effect has its kind alone.
func Occurrences() []Occurrence {
	return []Occurrence{
		{"", []string{"input"}},
		{"", []string{"state", "table", "handle"}},
		{"", []string{"call", "session", "handle"}},
		{"ask_brain", []string{"effect", "ask", "session", "handle"}},
		{"run_tool", []string{"effect", "tool", "args", "attempt", "session", "channel", "chat", "handle"}},
		{"load_session", []string{"effect", "load", "session", "handle"}},
		{"save_session", []string{"effect", "save", "session", "handle"}},
		{"load_skill", []string{"effect", "skill", "reference", "handle"}},
		{"arm_schedule", []string{"effect", "schedule"}},
		{"set_timer", []string{"effect", "timer", "after", "handle"}},
		{"send_message", []string{"effect", "message", "handle"}},
		{"ask_person", []string{"effect", "question", "handle"}},
		{"audit", []string{"effect", "audit", "handle"}},
		{"recall", []string{"effect", "recall", "handle"}},
		{"store", []string{"effect", "store", "handle"}},
		{"reply", []string{"effect", "reply", "handle"}},
		{"notify", []string{"effect", "notice", "handle"}},
		{"report", []string{"effect", "report", "handle"}},
		{"exit", []string{"effect", "exit"}},
	}
}

// Apart is what is wrong where no event has all of the item's keys (SCN-56).
func (v *Item) Apart(path string) []strict.Problem {
	keys, kinds := v.Keys(), v.effects()
	if len(keys) < 2 {
		return nil
	}
	var beside []string // what there can be beside the first key
	for _, o := range Occurrences() {
		has := func(key string) bool { return slices.Contains(o.Keys, key) }
		is := kinds == nil || slices.Contains(kinds, o.Effect)
		if is && !slices.ContainsFunc(keys, func(key string) bool { return !has(key) }) {
			return nil
		}
		if is && has(keys[0]) {
			beside = append(beside, slices.DeleteFunc(o.Keys, func(key string) bool { return key == keys[0] })...)
		}
	}
	wrong := max(1, slices.IndexFunc(keys, func(key string) bool { return key != keys[0] && !slices.Contains(beside, key) }))
	text := "no event has " + strings.Join(keys, " and ")
	if kinds != nil {
		text = strings.Replace(text, "effect", "the effect "+strings.Join(kinds, " or "), 1)
	}
	if len(beside) > 0 {
		text += "; beside " + keys[0] + " there can be " + strings.Join(slices.Compact(slices.Sorted(slices.Values(beside))), ", ")
	}
	return []strict.Problem{{Pos: v.At(keys[wrong]), Path: path, Text: text}}
}

// effects are the kinds of effects that the item can be of, or nil where it is of any.
func (v *Item) effects() (kinds []string) {
	of := v.Member("effect")
	if of == nil || of.Fits(data.Value{}) {
		return nil
	}
	kinds = slices.DeleteFunc(expression.EffectKinds(), func(kind string) bool { return !of.Fits(data.Text(kind)) })
	if len(kinds) == len(expression.EffectKinds()) {
		return nil
	}
	return kinds
}

// words are those that an event can have by a key, or nil where they are not known.
func (v *Item) words(key string) []string {
	switch key {
	case "ask":
		return purposes()
	case "timer":
		return wordsFrom(fsm.TimerHandle, fsm.TimerAbort, fsm.TimerGrace, fsm.TimerBackoff, fsm.TimerRetry, fsm.TimerCompact, fsm.TimerApproval, fsm.TimerHold, fsm.TimerProbe, fsm.TimerAnswer, fsm.TimerIdle, fsm.TimerPostpone)
	case "notice":
		return notices()
	case "question":
		return questions()
	case "exit":
		return ShapeOf("exit").Words
	case "table":
		return []string{state.Lifecycle.Name, state.HandleTable.Name, state.InferenceTable.Name}
	case "state":
		return v.states()
	case "input":
		return expression.InputKinds()
	case "effect":
		return expression.EffectKinds()
	default:
		return nil
	}
}

// states are those of the table that the item names, or of all.
func (v *Item) states() (words []string) {
	table, named := "", false
	if of := v.Member("table"); of != nil {
		table, named = of.Text()
	}
	for _, t := range []*state.Table{&state.Lifecycle, &state.HandleTable, &state.InferenceTable} {
		if !named || t.Name == table {
			words = append(words, expression.StatesOf(t)...)
		}
	}
	return words
}

func wordsFrom[T ~string](list ...T) []string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return words
}

// rename reads a former name of an inference's state as the present one (INF-30). Where
// no table is named it may be that of a handle's state, too.
func (v *Item) rename() {
	entered := v.Member("state")
	if entered == nil {
		return
	}
	if table := v.Member("table"); table == nil {
		for _, choice := range entered.Choices() {
			name, _ := choice.Text()
			choice.Also(inferenceState(name))
		}
	} else if name, _ := table.Text(); name == state.InferenceTable.Name {
		entered.Rename(inferenceState)
	}
}

// Concerns reports whether an event has all of the item's keys.
func (v *Item) Concerns(e data.Value) bool {
	return !slices.ContainsFunc(v.Keys(), func(key string) bool { return e.Get(key).Kind == data.AbsentKind })
}

// Items are the items of a file's claims and of its trace, each with the path of the claim.
func (f *File) Items() iter.Seq2[string, *Item] {
	return func(yield func(string, *Item) bool) {
		for _, in := range slices.Concat(f.claimed(), f.traced()) {
			if in.item != nil && !yield(in.path, in.item) {
				return
			}
		}
	}
}

// placed is an item, or nil, and the path of what it stands in.
type placed struct {
	path string
	item *Item
}

func (f *File) claimed() (list []placed) {
	add := func(path string, that, when *Condition) {
		list = append(list, placed{path, that.Item})
		if when != nil {
			list = append(list, placed{path, when.Item})
		}
	}
	for i := range f.Always {
		add(strict.Element("always", i), &f.Always[i].That, f.Always[i].When)
	}
	for i := range f.Never {
		add(strict.Element("never", i), &f.Never[i].That, f.Never[i].When)
	}
	for i := range f.Eventually {
		add(strict.Element("eventually", i), &f.Eventually[i].That, f.Eventually[i].When)
	}
	return list
}

func (f *File) traced() (list []placed) {
	if f.Expect == nil {
		return nil
	}
	for i := range f.Expect.Trace {
		o, path := &f.Expect.Trace[i], strict.Element("expect.trace", i)
		for _, items := range [][]Item{o.Before, o.InOrder} {
			for j := range items {
				list = append(list, placed{path, &items[j]})
			}
		}
		list = append(list, placed{path, o.Never}, placed{path, o.Eventually}, placed{path, o.After})
		if o.Count != nil {
			list = append(list, placed{path, &o.Count.Of})
		}
	}
	return list
}
