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
// by its JSON name; the other tags there are the rest of its schema. Its says stands beside its
// value when a profile is printed.
type machineKey struct{ key, says string }

// machineKeys returns all such settings, except the sections of the system prompt, which only a
// profile has.
func machineKeys() []machineKey {
	return []machineKey{
		{"limits.max_tool_rounds", "rounds that run tools, in one inference"},
		{"limits.max_iterations", "answers of the model, in one inference"},
		{"limits.max_tool_calls", "tool calls run, in one inference"},
		{"limits.max_calls_per_answer", "tool calls run of one answer"},
		{"limits.reads_at_once", "calls of one answer, without effects, that run at the same time"},
		{"limits.max_tool_attempts", "starts of one tool call"},
		{"limits.max_answer_attempts", "answers in a row with neither text nor calls"},
		{"limits.max_repeats", "times that the same calls may have the same results"},
		{"limits.max_compactions", "compactions of one inference"},
		{"limits.max_cognition_rounds", "inferences of one handle's cognition"},
		{"limits.recall_top_k", "entries that one recall brings"},
		{"limits.max_store_attempts", "tries to store one entry, or to load or save one session"},
		{"limits.max_active", "handles that run at once, subagents apart"},
		{"limits.session_burst", "turns in a row of the session asked for last while another waits"},
		{"limits.max_queue", "requests and events that may wait"},
		{"limits.max_subagents", "subagents that are unfinished"},
		{"limits.subagent_iterations", "max_iterations of a subagent"},
		{"limits.max_schedules", "schedules that are armed"},
		{"limits.max_crashes", "crashes in which one handle may be active"},
		{"limits.max_turns", "turns that are remembered together"},
		{"limits.max_history", "messages of a session's history"},
		{"limits.max_pending", "messages that wait for a consolidation that failed"},
		{"limits.keep_messages", "newest messages that a compression leaves as they are"},
		{"limits.context_tokens", "tokens of one model call"},
		{"limits.max_text_bytes", "bytes of the results that a session keeps"},
		{"limits.offer_tokens", "tokens of the system prompt and the tools; 0: all tools are whole"},
		{"limits.compress_percent", "share of context_tokens beyond which a conversation is compressed"},
		{"limits.answer_percent", "share of context_tokens that a prompt leaves to the answer; 0: prompts are sent as they are"},
		{"limits.think_percent", "share of context_tokens that thinking may take; 0: any"},
		{"limits.backoff", "waits before the model is asked again, in order"},
		{"limits.postpone", "waits after that before an event or a schedule's run goes on, in order; none: it fails"},
		{"limits.retry_delay", "wait before a tool is started again"},
		{"limits.init_timeout", "the initial inference, memory included"},
		{"limits.handle_timeout", "one request or event, memory included"},
		{"limits.subagent_timeout", "one subagent"},
		{"limits.compact_timeout", "one compaction or consolidation"},
		{"limits.approval_timeout", "wait for a person's decision"},
		{"limits.hold_timeout", "wait for a person's word on an unknown outcome"},
		{"limits.shutdown_timeout", "the farewell, memory included"},
		{"limits.grace", "wait for what is active at shutdown"},
		{"limits.abort_timeout", "wait for an aborted tool to stop"},
		{"limits.probe_timeout", "wait for a tool's probe to say what became of a call"},

		{"switches.no_cognition", "no question and no recall"},
		{"switches.history", "what a session keeps of a turn"},
		{"switches.overflow", "what becomes of a history over max_history"},
		{"switches.compress", "conversations stay within context_tokens"},
		{"switches.remember", "when a handle is written to memory"},
		{"switches.side_calls", "how the model is asked for the summary of a session's turns"},
		{"switches.own_memory", "a recall brings only entries of its own session"},
		{"switches.tell_time", "each input begins with the time in UTC, where history is sent"},
		{"switches.spare_model", "no embedding makes the server unload the chat model"},
		{"switches.reply_first", "the reply goes out before history and memory are written"},
		{"switches.cancel", "what a request to cancel does"},
		{"switches.at_limit", "what an exhausted inference becomes"},
		{"switches.at_length", "what an answer cut at its token limit becomes"},
		{"switches.hold_unknown", "an unknown outcome waits for a person"},
		{"switches.unattended", "approvals wait even if no person is there to ask"},
		{"switches.alternate", "users and events take turns"},
		{"switches.coalesce", "an event joins a waiting one of the same subject"},
		{"switches.commands", "/new, /help, /status and /stop mean something"},
		{"switches.auto_load_skills", "the skill tools are offered"},
		{"switches.text_calls", "a model that writes a call as text is asked to call"},
		{"switches.reading", "how the model's answers are read"},
		{"switches.stop_at_calls", "the last call that max_tool_calls allows ends the inference"},
		{"switches.empty_answers", "an answer with neither text nor calls is the answer"},
		{"switches.no_farewell", "a shutdown asks the model nothing"},
		{"switches.init_beside", "the first initial inference runs while requests are served"},
		{"switches.progress", "model calls have deadlines by their progress"},
		{"switches.keep_texts", "long results are kept whole, and read on in"},
		{"switches.read_ahead", "at a start, and while a person writes, the model reads what the next question comes after"},

		{"prompts.identity", "the system prompt, or its first part"},
		{"prompts.question", "asked before the input, in cognition"},
		{"prompts.init", "the input of the initial inference"},
		{"prompts.farewell", "the input of the farewell"},
		{"prompts.summary", "asked after a handle's messages"},
		{"prompts.reflection", "said after the results of tools"},
		{"prompts.subagent", "a subagent's system prompt"},
		{"prompts.compress", "asked after the old turns of a conversation that is too long"},
		{"prompts.overflow", "asked after the messages that leave a history"},
		{"prompts.consolidate", "asked before a history that is consolidated"},
		{"prompts.empty", "said after an answer with neither text nor calls"},
		{"prompts.at_limit", "the notice of a cap, {n}, and of its name, {limit}"},
		{"prompts.at_length", "the notice of a cut answer"},
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
	if b := c.Brain; !b.Preload || b.KeepAlive == 0 || b.Kind == "demo" {
		m.Switches.ReadAhead = false // there is no model to read, or none that stays
	}
	if m.Switches.Progress {
		b := c.Brain
		m.Pace = fsm.Pace{Load: fsm.Millis(b.Timeouts.Load.Milliseconds()), Idle: fsm.Millis(b.Timeouts.Idle.Milliseconds()), Reads: b.Reads, Writes: b.Writes}
	}
	for i := range m.Tools {
		c.Tools.Approve.decide(&m.Tools[i])
	}
	return m
}

// closing is the time that a stop takes in addition to the machine's limits.
const closing = 10 * time.Second

// StopMax returns how long a stop may take: a supervisor that kills shelly sooner cuts its work, its
// farewell, or what it still writes.
func (c Config) StopMax() time.Duration {
	return time.Duration(c.Limits.Grace+c.Limits.AbortTimeout)*time.Millisecond + c.FarewellMax() + closing
}

// FarewellMax returns how long a farewell may take; 0 if there is none (LIF-13).
func (c Config) FarewellMax() time.Duration {
	if c.Switches.NoFarewell {
		return 0
	}
	return time.Duration(c.Limits.ShutdownTimeout) * time.Millisecond
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

// UnknownZone returns what TZ says if the person's zone is the machine's and TZ names none that is
// known, so that it is taken to be UTC (CFG-18), or "".
func (c Config) UnknownZone() string {
	if c.About.Zone != "local" {
		return ""
	}
	return zone.Unknown()
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

// Unmatched is an argument in a match of tools.approve that the named tool does not take.
type Unmatched struct {
	Tool, Argument string
	Has            []string // the arguments that it takes
}

// Unmatched returns such arguments. A program whose schema is open takes any.
func (c Config) Unmatched(tools []fsm.ToolDecl) (all []Unmatched) {
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
					all = append(all, Unmatched{t.Name, m.Name, has})
				}
			}
		}
	}
	return all
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

// KnowsChannel reports whether a channel is one of shelly's own, or configured.
func (c Config) KnowsChannel(name string) bool {
	return slices.Contains(c.channels(), name) || slices.Contains(taken(), name)
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
