package spec

import (
	"fmt"
	"reflect"
	"strings"

	"shelly/fsm"
	"shelly/fsm/profile"
)

// limitDoc is a limit in words.
type limitDoc struct{ name, bounds, rule string }

// limitDocs describes every field of fsm.Limits, in their order.
func limitDocs() []limitDoc {
	return []limitDoc{
		{"max_tool_rounds", "rounds of one inference that run tools", "INF-7"},
		{"max_iterations", "answers of the model in one inference", "INF-17"},
		{"max_tool_calls", "tool calls run in one inference", "INF-18"},
		{"max_calls_per_answer", "tool calls run of one answer", "INF-10"},
		{"reads_at_once", "calls of one answer that run at the same time", "INF-44"},
		{"max_tool_attempts", "starts of one tool call", "INF-16"},
		{"max_answer_attempts", "empty answers in a row", "INF-20"},
		{"max_repeats", "times that the same calls have the same results", "INF-21"},
		{"max_compactions", "compactions of one inference", "CTX-9"},
		{"max_cognition_rounds", "inferences of one handle's cognition", "HND-10"},
		{"recall_top_k", "entries that one recall brings", "HND-7"},
		{"max_store_attempts", "tries to store one entry, or to load or save one session", "HND-23"},
		{"max_active", "handles that run at once, not counting subagents", "SES-2"},
		{"session_burst", "turns in a row of the session asked for last while another waits", "HND-50"},
		{"max_queue", "requests and events that wait, parked ones included", "HND-25"},
		{"max_subagents", "subagents that are unfinished", "HND-39"},
		{"subagent_iterations", "`max_iterations` of a subagent", "HND-39"},
		{"max_schedules", "schedules that are armed", "HND-42"},
		{"max_crashes", "crashes in which one handle may be active", "HND-36"},
		{"max_turns", "turns that one memory handle gathers", "HND-29"},
		{"max_history", "messages of a history above which it is shortened", "SES-9"},
		{"max_pending", "messages that wait for a consolidation that failed", "SES-11"},
		{"keep_messages", "newest messages that a compression leaves alone", "CTX-5"},
		{"context_tokens", "tokens of one model call", "CTX-3"},
		{"max_text_bytes", "bytes of the results that a session keeps", "TXT-6"},
		{"offer_tokens", "tokens of the system prompt and the tools; 0: all tools are whole", "TOL-60"},
		{"compress_percent", "share of `context_tokens` above which a conversation is compressed", "CTX-3"},
		{"answer_percent", "share of `context_tokens` that a prompt leaves to the answer", "CTX-10"},
		{"think_percent", "share of `context_tokens` that the thinking of one answer may take", "INF-33"},
		{"backoff", "waits before the model is asked again", "INF-15"},
		{"postpone", "waits after that before an event or a schedule's run goes on", "HND-69"},
		{"retry_delay", "wait before a tool is started again", "INF-16"},
		{"init_timeout", "the initial inference, its memory included", "LIF-5"},
		{"handle_timeout", "one handle of any other kind, its memory included", "HND-18"},
		{"subagent_timeout", "one subagent", "HND-39"},
		{"compact_timeout", "one compaction or consolidation", "CTX-7"},
		{"approval_timeout", "waiting for a person's decision", "APR-2"},
		{"hold_timeout", "waiting for a person to resolve an unknown outcome", "APR-6"},
		{"shutdown_timeout", "the farewell, its memory included", "LIF-9"},
		{"grace", "waiting for what is active at shutdown", "LIF-8"},
		{"abort_timeout", "waiting for an aborted tool to stop", "HND-19"},
		{"probe_timeout", "waiting for a tool's probe to say what became of a call", "INF-53"},
	}
}

// renderLimits returns the limits with the value of each profile. A limit without a
// description is an error.
func renderLimits() (string, error) {
	profiles := profiles()
	head := []string{"limit"}
	for _, p := range profiles {
		head = append(head, p.Profile)
	}
	docs := limitDocs()
	if err := worded(reflect.TypeFor[fsm.Limits](), names(docs, func(d limitDoc) string { return d.name }), "limitDocs"); err != nil {
		return "", err
	}
	rows := [][]string{append(head, "bounds", "rule")}
	for i, d := range docs {
		row := []string{"`" + d.name + "`"}
		for _, p := range profiles {
			row = append(row, limitValue(reflect.ValueOf(p.Limits).Field(i).Interface()))
		}
		rows = append(rows, append(row, d.bounds, d.rule))
	}
	return grid(rows), nil
}

// names returns the names of what a list describes.
func names[T any](docs []T, name func(T) string) []string {
	all := make([]string, len(docs))
	for i, d := range docs {
		all[i] = name(d)
	}
	return all
}

// worded returns an error unless words has the fields of a struct in their order. list
// names the list, for the error.
func worded(fields reflect.Type, words []string, list string) error {
	for i := range fields.NumField() {
		field, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
		if i >= len(words) || words[i] != field {
			return fmt.Errorf("%q of %s has no words in %s, or not in its place", field, fields, list)
		}
	}
	if len(words) > fields.NumField() {
		return fmt.Errorf("%s has words for %q, which %s does not have", list, words[fields.NumField()], fields)
	}
	return nil
}

func limitValue(v any) string {
	steps, ok := v.([]fsm.Millis)
	if !ok {
		return fmt.Sprint(v)
	}
	if len(steps) == 0 {
		return "none"
	}
	words := make([]string, len(steps))
	for i, step := range steps {
		words[i] = step.String()
	}
	return strings.Join(words, ", ")
}

// profiles returns the configuration of every profile in their order.
func profiles() []fsm.Config {
	var all []fsm.Config
	for _, name := range profile.Names() {
		if p, ok := profile.Named(name); ok {
			all = append(all, p)
		}
	}
	return all
}
