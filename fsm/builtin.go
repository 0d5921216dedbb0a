package fsm

// Names of the builtin tools, which the machine answers itself.
const (
	ToolSpawn         = "spawn"
	ToolMessage       = "message"
	ToolCron          = "cron"
	ToolLoadSkill     = "load_skill"
	ToolLoadReference = "load_skill_reference"
	ToolReadMore      = "read_more"
	ToolHelp          = "tool_help" // offered if not all tools are shown whole (TOL-62)
)

// BuiltinNames returns the names of all builtin tools.
func BuiltinNames() []string {
	return []string{ToolSpawn, ToolMessage, ToolCron, ToolLoadSkill, ToolLoadReference, ToolReadMore}
}

// Builtins returns the declarations of the named builtin tools. An unknown name is skipped.
func Builtins(names ...string) []ToolDecl {
	var tools []ToolDecl
	for _, name := range names {
		t := ToolDecl{Name: name, Builtin: true}
		switch name {
		case ToolSpawn:
			t.Effects = EffectsUnsafe
			t.Description = "Have a subagent work on a task in the background. It reports to this chat when it is done."
			t.Parameters = `{"type":"object","properties":{"task":{"type":"string","description":"complete in itself"},"label":{"type":"string"}},"required":["task"]}`
		case ToolMessage:
			t.Effects = EffectsUnsafe
			t.Description = "Send a message to another chat, or to this one before your answer, which reaches the person by itself."
			t.Parameters = `{"type":"object","properties":{"content":{"type":"string"},"channel":{"type":"string"},"chat_id":{"type":"string"}},"required":["content"]}`
		case ToolCron:
			t.Effects = EffectsUnsafe
			t.Description = "Schedule a message to yourself, list the schedules, or remove one. Times are local."
			t.Parameters = `{"type":"object","properties":{"action":{"type":"string","enum":["add","list","remove"]},"message":{"type":"string","description":"add: what to do"},"every_seconds":{"type":"integer"},"cron_expr":{"type":"string","description":"as in crontab, or @daily"},"at":{"type":"string","description":"once: 20m, 17:30, 2026-01-31T09:00"},"zone":{"type":"string","description":"UTC, +02:00"},"job_id":{"type":"string","description":"to remove"}},"required":["action"]}`
		case ToolLoadSkill:
			t.Effects = EffectsNone
			t.Description = "Load a skill to get its detailed instructions."
			t.Parameters = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
		case ToolLoadReference:
			t.Effects = EffectsNone
			t.Description = "Load a reference document of a skill that is loaded."
			t.Parameters = `{"type":"object","properties":{"name":{"type":"string"},"reference":{"type":"string"}},"required":["name","reference"]}`
		case ToolReadMore:
			t.Effects = EffectsNone
			t.Description = "Read on in a long result, from a byte on."
			t.Parameters = `{"type":"object","properties":{"result":{"type":"integer"},"from":{"type":"integer"}},"required":["result"]}`
		case ToolHelp:
			t.Effects = EffectsNone
			t.Description = "Say how to call a tool that is only named here. Give its name, or that of a server to see its tools, or words to search for."
			t.Parameters = `{"type":"object","properties":{"name":{"type":"string","description":"a tool, or a server"},"search":{"type":"string"}}}`
		default:
			continue
		}
		tools = append(tools, t)
	}
	return tools
}
