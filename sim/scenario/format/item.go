package format

import (
	"slices"

	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// Item is a pattern for events of the trace: a map of some of
//
//	tool: exec            a tool is started
//	args: {path: /var}    (tool) what it is called with
//	attempt: 2            (tool) the number of the start
//	ask: answer           the model is asked for a purpose
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
		"tool", "args", "attempt", "ask", "recall", "store", "reply", "notice", "report", "exit",
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
	v.Matcher.Read(d, n, path)
	if v.Keys() == nil {
		d.Add(n, path, "wants a map such as {tool: exec}")
		return
	}
	for _, key := range v.Keys() {
		if !slices.Contains(itemKeys(), key) {
			d.Add(n, strict.Member(path, key), wording.Unknown("key", key, itemKeys()))
			return
		}
	}
	d.Problems = append(d.Problems, foreign(path, &v.Matcher, ShapeOf("item"))...)
	v.rename()
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
	for _, key := range v.Keys() {
		if e.Get(key).Kind == data.AbsentKind {
			return false
		}
	}
	return true
}
