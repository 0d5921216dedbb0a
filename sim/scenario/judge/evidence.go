package judge

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/strict"
)

// Met is an expectation that holds.
type Met struct {
	Path  string // such as expect.replies
	Pos   strict.Pos
	Steps []int // that show it, from 1; none: no single one does
}

// evidence are the steps, from 1, that an expectation of a path is about, in order; none
// where no single step is.
func evidence(r *sim.Result, path string) []int {
	name, ok := strings.CutPrefix(path, "expect.")
	if !ok {
		return nil
	}
	at := strings.IndexAny(name, ".[")
	listed := at >= 0 && name[at] == '[' // and not the name of a session
	name, rest, _ := strings.Cut(strings.ReplaceAll(name, "[", "."), ".")
	of := about(name, rest)
	if of == nil {
		return nil
	}
	var steps []int
	for i := range r.Steps {
		for range of(&r.Steps[i]) {
			steps = append(steps, i+1)
		}
	}
	index, _, _ := strings.Cut(rest, "]")
	if n, err := strconv.Atoi(index); err == nil && listed && len(steps) > 0 && name != "handles" {
		n = min(n, len(steps)-1)
		steps = steps[n : n+1]
	}
	return slices.Compact(steps)
}

// about returns what counts the things of a step that an expectation is about, or nil
// where it is about no step.
func about(name, rest string) func(*sim.Step) int {
	tool, _, _ := strings.Cut(rest, ".")
	switch name {
	case "replies":
		return effects(func(e fsm.Effect) bool { return is[fsm.Reply](e) })
	case "notices":
		return effects(func(e fsm.Effect) bool { return is[fsm.Notify](e) })
	case "messages":
		return effects(func(e fsm.Effect) bool { return is[fsm.SendMessage](e) })
	case "questions":
		return effects(func(e fsm.Effect) bool { return is[fsm.AskPerson](e) })
	case "audit":
		return effects(func(e fsm.Effect) bool {
			a, ok := e.(fsm.Audit)
			return ok && a.Ran()
		})
	case "reports":
		return effects(func(e fsm.Effect) bool { return is[fsm.Report](e) })
	case "asked", "tokens":
		return effects(func(e fsm.Effect) bool { return is[fsm.AskBrain](e) })
	case "memory":
		return effects(func(e fsm.Effect) bool { return is[fsm.Store](e) })
	case "sessions", "memory_file", "history_file":
		return effects(func(e fsm.Effect) bool { return is[fsm.SaveSession](e) })
	case "exit":
		return effects(func(e fsm.Effect) bool { return is[fsm.Exit](e) })
	case "tools":
		return effects(func(e fsm.Effect) bool {
			run, ok := e.(fsm.RunTool)
			return ok && (run.Name == tool || strconv.Quote(run.Name) == tool)
		})
	case "lifecycle":
		return moves(state.Lifecycle.Name)
	case "handle", "handles":
		return moves(state.HandleTable.Name)
	case "inference", "inferences":
		return moves(state.InferenceTable.Name)
	default:
		return nil
	}
}

func is[T fsm.Effect](e fsm.Effect) bool {
	_, ok := e.(T)
	return ok
}

// effects counts those of a step that are meant.
func effects(meant func(fsm.Effect) bool) func(*sim.Step) int {
	return func(s *sim.Step) (n int) {
		for _, e := range s.Effects {
			if meant(e) {
				n++
			}
		}
		return n
	}
}

func moves(table string) func(*sim.Step) int {
	return func(s *sim.Step) int {
		if slices.ContainsFunc(s.Moves, func(m state.Move) bool { return m.Table == table && !m.Stays() }) {
			return 1
		}
		return 0
	}
}
