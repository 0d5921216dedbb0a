package spec

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
)

// switchDoc describes a switch and its values. The first value is the default.
type switchDoc struct {
	name   string
	values []valueDoc
}

// valueDoc is one value of a switch, and what it does.
type valueDoc struct{ name, does, rule string }

// switchDocs describes every field of fsm.Switches, in their order.
func switchDocs() []switchDoc {
	return []switchDoc{
		{"no_cognition", []valueDoc{
			{"false", "a handle begins with cognition", "HND-4"},
			{"true", "a handle goes to execution at once: no question, no recall", "HND-4"},
		}},
		{"history", []valueDoc{
			{"none", "a session keeps nothing of a turn", "SES-4"},
			{"answers", "it keeps the user's message and the final answer", "SES-4"},
			{"all", "it keeps every message", "SES-4"},
			{"sent", "it keeps every message as the model was sent it", "SES-21"},
		}},
		{"overflow", []valueDoc{
			{"keep", "a history keeps its newest messages, up to `max_history` + `max_pending`", "SES-18"},
			{"summarize", "the overflow's summary is appended to MEMORY.md", "SES-9"},
			{"consolidate", "the history becomes an entry of HISTORY.md and a new MEMORY.md", "SES-10"},
		}},
		{"compress", []valueDoc{
			{"false", "a conversation is sent as long as it is", "CTX-3"},
			{"true", "a conversation stays within `context_tokens`", "CTX-3"},
		}},
		{"remember", []valueDoc{
			{"each", "each handle is written to memory separately", "HND-12"},
			{"idle", "a session's turns are written together, once nobody waits", "HND-29"},
			{"off", "nothing is written to memory", "HND-30"},
		}},
		{"side_calls", []valueDoc{
			{"alone", "the model is sent the turns that are to be remembered, and nothing else", "HND-29"},
			{"appended", "it is asked after the conversation that it knows", "HND-49"},
		}},
		{"own_memory", []valueDoc{
			{"false", "a recall brings entries of all sessions", "MEM-3"},
			{"true", "a recall brings entries of its own session only", "MEM-6"},
		}},
		{"tell_time", []valueDoc{
			{"false", "the model is not told the time", "SES-22"},
			{"true", "each input begins with the time, if `history` is `sent`", "SES-22"},
		}},
		{"spare_model", []valueDoc{
			{"false", "each need and each summary is embedded at once", "HND-13"},
			{"true", "only if that does not make the server unload the chat model", "MEM-11"},
		}},
		{"reply_first", []valueDoc{
			{"false", "the reply goes out when the handle ends", "HND-15"},
			{"true", "the reply goes out before history and memory are written", "HND-28"},
		}},
		{"cancel", []valueDoc{
			{"refused", "a request cannot be taken back", "HND-31"},
			{"checkpoint", "it ends before its next tool or model call", "HND-32"},
			{"immediate", "it ends at once", "HND-33"},
		}},
		{"at_limit", []valueDoc{
			{"error", "an exhausted inference is an error", "INF-19"},
			{"notice", "it is the text so far, followed by the notice", "INF-19"},
			{"state", "it is the notice alone", "INF-19"},
		}},
		{"at_length", []valueDoc{
			{"error", "an answer that was cut is an error", "INF-19"},
			{"notice", "it is the text so far, followed by the notice", "INF-19"},
			{"state", "it is the notice alone", "INF-19"},
		}},
		{"hold_unknown", []valueDoc{
			{"false", "the model gets an unknown outcome as the result", "INF-13"},
			{"true", "an unknown outcome waits for a person", "APR-5"},
		}},
		{"unattended", []valueDoc{
			{"false", "an approval is refused if the handle has no person to ask", "APR-4"},
			{"true", "it waits for a person there too", "APR-4"},
		}},
		{"alternate", []valueDoc{
			{"false", "the oldest goes first", "HND-2"},
			{"true", "users and events take turns", "HND-44"},
		}},
		{"coalesce", []valueDoc{
			{"false", "each event is a handle of its own", "HND-38"},
			{"true", "an event joins one about the same thing that still waits", "HND-38"},
		}},
		{"commands", []valueDoc{
			{"false", "`/new` and the like are requests like any other", "SES-15"},
			{"true", "`/new`, `/help`, `/status` and `/stop` are commands", "SES-15"},
		}},
		{"auto_load_skills", []valueDoc{
			{"false", "the skill tools are not offered", "SKL-1"},
			{"true", "the skill tools are offered", "SKL-1"},
		}},
		{"text_calls", []valueDoc{
			{"false", "a call written as text is text, unless the model has no others", "INF-29"},
			{"true", "a model that has calls of its own and writes one as text is asked to call, unless the call has no effects", "INF-29"},
		}},
		{"reading", []valueDoc{
			{"plain", "answers are read as the first edition read them", "INF-40"},
			{"careful", "answers are read as small models write them, and nothing is run that they only quote", "INF-40"},
		}},
		{"stop_at_calls", []valueDoc{
			{"false", "the call beyond `max_tool_calls` ends an inference", "INF-18"},
			{"true", "the last call that `max_tool_calls` allows ends it", "INF-31"},
		}},
		{"empty_answers", []valueDoc{
			{"false", "an answer with neither text nor calls is asked for again, or a failure", "INF-20"},
			{"true", "it is the answer", "INF-32"},
		}},
		{"no_farewell", []valueDoc{
			{"false", "a shutdown ends with a farewell", "LIF-9"},
			{"true", "a shutdown asks the model nothing", "LIF-13"},
		}},
		{"init_beside", []valueDoc{
			{"false", "nothing is served before the initial inference has ended", "LIF-3"},
			{"true", "with `init: first_start` it begins once nothing runs or waits, and requests are served beside it", "LIF-14"},
		}},
		{"progress", []valueDoc{
			{"false", "a model call has no deadline but its handle's", "INF-50"},
			{"true", "the deadlines of a model call follow its progress", "INF-50"},
		}},
		{"keep_texts", []valueDoc{
			{"false", "a result enters the conversation as the tool has cut it", "TOL-4"},
			{"true", "a result is kept whole; its share enters, and `read_more` reads on", "TXT-1"},
		}},
		{"read_ahead", []valueDoc{
			{"false", "a question after a start, or in another session, waits until the model has read its prompt", "HND-71"},
			{"true", "what comes before it is read while nobody waits, or while it is written", "HND-71"},
		}},
	}
}

// renderSwitches returns every value of every switch, with the profiles that have
// it. A switch or value without a description is an error.
func renderSwitches() (string, error) {
	profiles := profiles()
	docs := switchDocs()
	if err := worded(reflect.TypeFor[fsm.Switches](), names(docs, func(d switchDoc) string { return d.name }), "switchDocs"); err != nil {
		return "", err
	}
	rows := [][]string{{"switch", "value", "what it does", "profiles", "rule"}}
	for i, d := range docs {
		having := map[string][]string{}
		for _, p := range profiles {
			value := cmp.Or(fmt.Sprint(reflect.ValueOf(p.Switches).Field(i).Interface()), d.values[0].name)
			if !slices.ContainsFunc(d.values, func(v valueDoc) bool { return v.name == value }) {
				return "", fmt.Errorf("the value %q of the switch %q has no words in switchDocs", value, d.name)
			}
			having[value] = append(having[value], p.Profile)
		}
		for j, v := range d.values {
			name := ""
			if j == 0 {
				name = "`" + d.name + "`"
			}
			rows = append(rows, []string{name, "`" + v.name + "`", v.does, profilesOf(having[v.name], len(profiles)), v.rule})
		}
	}
	return grid(rows), nil
}

func profilesOf(names []string, all int) string {
	if len(names) == all {
		return "all"
	}
	return strings.Join(names, ", ")
}

// renderProfiles returns what else a profile decides.
func renderProfiles() string {
	rows := [][]string{{"profile", "init", "temperature", "tokens of an answer", "builtin tools"}}
	for _, p := range profiles() {
		rows = append(rows, []string{
			p.Profile,
			"`" + string(p.Init) + "`",
			temperature(p.Options.Temperature),
			answerTokens(p.Options.MaxTokens),
			builtins(p.Tools),
		})
	}
	return grid(rows)
}

// temperature formats thousandths.
func temperature(thousandths int) string {
	if thousandths < 0 {
		return "0"
	}
	if thousandths == 0 {
		return "the model's"
	}
	return strconv.FormatFloat(float64(thousandths)/1000, 'f', -1, 64)
}

func answerTokens(n int) string {
	if n == 0 {
		return "the client's"
	}
	return strconv.Itoa(n)
}

func builtins(tools []fsm.ToolDecl) string {
	var names []string
	for _, t := range tools {
		if t.Builtin {
			names = append(names, "`"+t.Name+"`")
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}
