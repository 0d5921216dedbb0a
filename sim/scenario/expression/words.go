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
