package config

import (
	"encoding/json"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/runtime/channel/xmpp/address"
	"shelly/runtime/zone"
)

// machineKey is a setting that is a field of [fsm.Limits], [fsm.Switches] or [fsm.Prompts], found
// by its JSON name. Its says stands beside its value when a profile is printed.
type machineKey struct {
	key      string
	min, max string // for a limit
	of       string // for a switch: its words; the first stands for its zero value
	emptyOK  bool   // for a prompt: it may be empty
	says     string
}

// machineKeys returns all such settings, except the sections of the system prompt, which only a
// profile has.
func machineKeys() []machineKey {
	return []machineKey{
		{key: "limits.max_tool_rounds", min: "1", max: "10000", says: "rounds that run tools, in one inference"},
		{key: "limits.max_iterations", min: "1", max: "10000", says: "answers of the model, in one inference"},
		{key: "limits.max_tool_calls", min: "1", max: "10000", says: "tool calls run, in one inference"},
		{key: "limits.max_calls_per_answer", min: "1", max: "1000", says: "tool calls run of one answer"},
		{key: "limits.reads_at_once", min: "1", max: "64", says: "calls of one answer, without effects, that run at the same time"},
		{key: "limits.max_tool_attempts", min: "1", max: "100", says: "starts of one tool call"},
		{key: "limits.max_answer_attempts", min: "1", max: "100", says: "answers in a row with neither text nor calls"},
		{key: "limits.max_repeats", min: "1", max: "10000", says: "times that the same calls may have the same results"},
		{key: "limits.max_compactions", min: "1", max: "1000", says: "compactions of one inference"},
		{key: "limits.max_cognition_rounds", min: "1", max: "1000", says: "inferences of one handle's cognition"},
		{key: "limits.recall_top_k", min: "1", max: "1000", says: "entries that one recall brings"},
		{key: "limits.max_store_attempts", min: "1", max: "100", says: "tries to store one entry, or to load or save one session"},
		{key: "limits.max_active", min: "1", max: "1000", says: "handles that run at once, subagents apart"},
		{key: "limits.session_burst", min: "1", max: "1000", says: "turns in a row of the session asked for last while another waits"},
		{key: "limits.max_queue", min: "1", max: "100000", says: "requests and events that may wait"},
		{key: "limits.max_subagents", min: "1", max: "1000", says: "subagents that are unfinished"},
		{key: "limits.subagent_iterations", min: "1", max: "10000", says: "max_iterations of a subagent"},
		{key: "limits.max_schedules", min: "1", max: "10000", says: "schedules that are armed"},
		{key: "limits.max_crashes", min: "1", max: "1000", says: "crashes in which one handle may be active"},
		{key: "limits.max_turns", min: "1", max: "1000", says: "turns that are remembered together"},
		{key: "limits.max_history", min: "1", max: "100000", says: "messages of a session's history"},
		{key: "limits.max_pending", min: "1", max: "100000", says: "messages that wait for a consolidation that failed"},
		{key: "limits.keep_messages", min: "1", max: "10000", says: "newest messages that a compression leaves as they are"},
		{key: "limits.context_tokens", min: "256", max: "16777216", says: "tokens of one model call"},
		{key: "limits.max_text_bytes", min: "1048576", max: "1073741824", says: "bytes of the results that a session keeps"},
		{key: "limits.offer_tokens", min: "0", max: "16777216", says: "tokens of the system prompt and the tools; 0: all tools are whole"},
		{key: "limits.compress_percent", min: "1", max: "100", says: "share of context_tokens beyond which a conversation is compressed"},
		{key: "limits.answer_percent", min: "0", max: "50", says: "share of context_tokens that a prompt leaves to the answer; 0: prompts are sent as they are"},
		{key: "limits.think_percent", min: "0", max: "90", says: "share of context_tokens that thinking may take; 0: any"},
		{key: "limits.backoff", min: "1ms", max: "168h", says: "waits before the model is asked again, in order"},
		{key: "limits.retry_delay", min: "1ms", max: "168h", says: "wait before a tool is started again"},
		{key: "limits.init_timeout", min: "1ms", max: "168h", says: "the initial inference, memory included"},
		{key: "limits.handle_timeout", min: "1ms", max: "168h", says: "one request or event, memory included"},
		{key: "limits.subagent_timeout", min: "1ms", max: "168h", says: "one subagent"},
		{key: "limits.compact_timeout", min: "1ms", max: "168h", says: "one compaction or consolidation"},
		{key: "limits.approval_timeout", min: "1ms", max: "8760h", says: "wait for a person's decision"},
		{key: "limits.hold_timeout", min: "1ms", max: "8760h", says: "wait for a person's word on an unknown outcome"},
		{key: "limits.shutdown_timeout", min: "1ms", max: "24h", says: "the farewell, memory included"},
		{key: "limits.grace", min: "1ms", max: "168h", says: "wait for what is active at shutdown"},
		{key: "limits.abort_timeout", min: "1ms", max: "1h", says: "wait for an aborted tool to stop"},
		{key: "limits.probe_timeout", min: "1ms", max: "1h", says: "wait for a tool's probe to say what became of a call"},

		{key: "switches.no_cognition", says: "no question and no recall"},
		{key: "switches.history", of: "none|answers|all|sent", says: "what a session keeps of a turn"},
		{key: "switches.overflow", of: "keep|summarize|consolidate", says: "what becomes of a history over max_history"},
		{key: "switches.compress", says: "conversations stay within context_tokens"},
		{key: "switches.remember", of: "each|idle|off", says: "when a handle is written to memory"},
		{key: "switches.side_calls", of: "alone|appended", says: "how the model is asked for the summary of a session's turns"},
		{key: "switches.own_memory", says: "a recall brings only entries of its own session"},
		{key: "switches.tell_time", says: "each input begins with the time in UTC, where history is sent"},
		{key: "switches.spare_model", says: "no embedding makes the server unload the chat model"},
		{key: "switches.reply_first", says: "the reply goes out before history and memory are written"},
		{key: "switches.cancel", of: "refused|checkpoint|immediate", says: "what a request to cancel does"},
		{key: "switches.at_limit", of: "error|notice|state", says: "what an exhausted inference becomes"},
		{key: "switches.at_length", of: "error|notice|state", says: "what an answer cut at its token limit becomes"},
		{key: "switches.hold_unknown", says: "an unknown outcome waits for a person"},
		{key: "switches.unattended", says: "approvals wait even if no person is there to ask"},
		{key: "switches.alternate", says: "users and events take turns"},
		{key: "switches.coalesce", says: "an event joins a waiting one of the same subject"},
		{key: "switches.commands", says: "/new, /help, /status and /stop mean something"},
		{key: "switches.auto_load_skills", says: "the skill tools are offered"},
		{key: "switches.text_calls", says: "a model that writes a call as text is asked to call"},
		{key: "switches.reading", of: "plain|careful", says: "how the model's answers are read"},
		{key: "switches.stop_at_calls", says: "the last call that max_tool_calls allows ends the inference"},
		{key: "switches.empty_answers", says: "an answer with neither text nor calls is the answer"},
		{key: "switches.no_farewell", says: "a shutdown asks the model nothing"},
		{key: "switches.init_beside", says: "the first initial inference runs while requests are served"},
		{key: "switches.progress", says: "model calls have deadlines by their progress"},
		{key: "switches.keep_texts", says: "long results are kept whole, and read on in"},

		{key: "prompts.identity", says: "the system prompt, or its first part"},
		{key: "prompts.question", emptyOK: true, says: "asked before the input, in cognition"},
		{key: "prompts.init", says: "the input of the initial inference"},
		{key: "prompts.farewell", says: "the input of the farewell"},
		{key: "prompts.summary", says: "asked after a handle's messages"},
		{key: "prompts.reflection", emptyOK: true, says: "said after the results of tools"},
		{key: "prompts.subagent", emptyOK: true, says: "a subagent's system prompt"},
		{key: "prompts.compress", emptyOK: true, says: "asked after the old turns of a conversation that is too long"},
		{key: "prompts.overflow", emptyOK: true, says: "asked after the messages that leave a history"},
		{key: "prompts.consolidate", emptyOK: true, says: "asked before a history that is consolidated"},
		{key: "prompts.empty", emptyOK: true, says: "said after an answer with neither text nor calls"},
		{key: "prompts.at_limit", emptyOK: true, says: "the notice of a cap, {n}, and of its name, {limit}"},
		{key: "prompts.at_length", emptyOK: true, says: "the notice of a cut answer"},
	}
}

// Machine returns the part of the configuration that the machine needs: the profile as changed by
// the sources, with its builtin tools before the runner's tools, and the skills. It travels with
// the boot (CFG-5). Names in tools.approve that no tool has change nothing; see [Config.Unoffered].
func (c Config) Machine(tools []fsm.ToolDecl, skills []fsm.SkillDecl) fsm.Config {
	m := fsm.Config{
		Profile:  c.Profile,
		Init:     c.Init,
		Switches: c.Switches,
		Limits:   c.Limits,
		Options:  fsm.Options{Temperature: int(c.Brain.Temperature), MaxTokens: c.Brain.MaxTokens},
		Prompts: c.Prompts.Fill(fsm.About{
			Name: c.About.Name, User: c.About.User, Persona: c.About.Persona,
			Workspace: c.Workspace, System: runtime.GOOS + "/" + runtime.GOARCH,
		}),
		Words: fsm.PresentWords(),

		AuditAll: true,
		Edition:  fsm.PresentEdition,

		Tools:  slices.Concat(c.builtin, tools),
		Skills: skills,
		Whole:  c.Tools.Whole,
		Labels: c.labels,

		Heartbeat: c.Events.Heartbeat.machine(),

		Channels: c.channels(),
	}
	m.Heartbeat.To = c.Named(m.Heartbeat.To)
	if m.Switches.Progress {
		b := c.Brain
		m.Pace = fsm.Pace{Load: fsm.Millis(b.Timeouts.Load.Milliseconds()), Idle: fsm.Millis(b.Timeouts.Idle.Milliseconds()), Reads: b.Reads, Writes: b.Writes}
	}
	for i := range m.Tools {
		c.Tools.Approve.decide(&m.Tools[i])
	}
	return m
}

// ZonesAt returns the time zones, with their changes around a time, the person's own first
// (HND-48). A zone that is no longer in the machine's database is left out.
func (c Config) ZonesAt(now time.Time) []fsm.Zone {
	var zones []fsm.Zone
	names := append([]string{c.About.Zone}, c.About.Zones...)
	if own := c.Events.Heartbeat.Zone; own != "" && !slices.Contains(names, own) {
		names = append(names, own)
	}
	for _, name := range names {
		if z, err := zone.Named(name, now); err == nil {
			zones = append(zones, z)
		}
	}
	return zones
}

// Unoffered returns the names in tools.approve that belong neither to a builtin tool nor to one of
// the runner's.
func (c Config) Unoffered(tools []fsm.ToolDecl) []string {
	var names []string
	for _, a := range c.Tools.Approve {
		name := a.Tool
		if !strings.Contains(name, "*") && !c.has(tools, func(t fsm.ToolDecl) bool { return grant.FitsName(name, t.Name) }) {
			names = append(names, name)
		}
	}
	return names
}

// UnofferedWhole returns such names in tools.whole.
func (c Config) UnofferedWhole(tools []fsm.ToolDecl) []string {
	var names []string
	for _, name := range c.Tools.Whole {
		if !c.has(tools, func(t fsm.ToolDecl) bool { return t.Name == name }) {
			names = append(names, name)
		}
	}
	return names
}

// has reports whether a builtin tool or one of the runner's is meant.
func (c Config) has(tools []fsm.ToolDecl, meant func(fsm.ToolDecl) bool) bool {
	return slices.ContainsFunc(c.builtin, meant) || slices.ContainsFunc(tools, meant)
}

// Unmatched returns the first argument in a match of tools.approve that the named tool does not
// take, and those that it takes; "" if there is none. A program whose schema is open takes any.
func (c Config) Unmatched(tools []fsm.ToolDecl) (tool, argument string, has []string) {
	for _, a := range c.Tools.Approve {
		for _, t := range slices.Concat(c.builtin, tools) {
			var schema struct {
				Properties map[string]json.RawMessage `json:"properties"`
				Additional json.RawMessage            `json:"additionalProperties"`
			}
			if t.Name != a.Tool || json.Unmarshal([]byte(t.Parameters), &schema) != nil || len(schema.Properties) == 0 {
				continue
			}
			if _, program := c.Tools.Custom.Get(t.Name); program && string(schema.Additional) != "false" {
				continue
			}
			has := slices.Sorted(maps.Keys(schema.Properties))
			for _, m := range a.Match {
				if !slices.ContainsFunc(has, func(name string) bool { return strings.EqualFold(name, m.Name) }) { // as a match is read (APR-11)
					return t.Name, m.Name, has
				}
			}
		}
	}
	return "", "", nil
}

// channels returns those to which the model may send messages. It is never empty, because that
// would mean any channel.
func (c Config) channels() []string {
	all := slices.Concat([]string{"cli"}, c.Comm.Channels)
	for _, n := range c.Channels {
		if !slices.Contains(all, n.Name) {
			all = append(all, n.Name)
		}
	}
	return all
}

// Named returns a chat by the name that its channel has for it: over XMPP the same person can be
// written in several ways, and only one of them is the name of the person's session (CHN-33).
func (c Config) Named(to fsm.Origin) fsm.Origin {
	for _, n := range c.Channels {
		if n.Name == to.Channel && n.Value.Kind == ChannelXMPP {
			to.Chat = address.Person(to.Chat)
		}
	}
	return to
}
