package expression

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
)

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
	for _, fact := range []fsm.Fact{
		fsm.Boot{}, fsm.Configured{}, fsm.Requested{}, fsm.EventRaised{}, fsm.CancelRequested{}, fsm.Decided{}, fsm.Resolved{},
		fsm.ScheduleDue{}, fsm.TimerFired{}, fsm.Signalled{}, fsm.BrainAnswered{}, fsm.BrainFailed{}, fsm.ToolAnswered{},
		fsm.ToolStopped{}, fsm.Recalled{}, fsm.Embedded{}, fsm.Stored{}, fsm.SessionLoaded{}, fsm.SessionSaved{}, fsm.SkillLoaded{},
	} {
		kinds = append(kinds, fsm.InputKind(fsm.Input{Fact: fact}))
	}
	return kinds
}

func EffectKinds() []string {
	var kinds []string
	for _, e := range []fsm.Effect{
		fsm.AskBrain{}, fsm.RunTool{}, fsm.AbortCall{}, fsm.Recall{}, fsm.Embed{}, fsm.Store{},
		fsm.SetTimer{}, fsm.ClearTimer{}, fsm.Reply{}, fsm.Notify{}, fsm.Report{}, fsm.Exit{},
		fsm.LoadSession{}, fsm.SaveSession{}, fsm.LoadSkill{}, fsm.SendMessage{},
		fsm.ArmSchedule{}, fsm.DisarmSchedule{}, fsm.AskPerson{}, fsm.Audit{},
	} {
		kinds = append(kinds, fsm.EffectKind(e))
	}
	return kinds
}

func BuiltinNames() []string {
	return []string{fsm.ToolSpawn, fsm.ToolMessage, fsm.ToolCron, fsm.ToolLoadSkill, fsm.ToolLoadReference}
}
