package crash

import (
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/disk"
)

// compareStarts compares how often unsafe tools were started, but for those of an initial
// inference or a farewell, which starts over after a crash.
func compareStarts(straight, crashed *sim.Result) []string {
	return compareLines("starts of unsafe tools", unsafeStarts(straight), unsafeStarts(crashed))
}

func unsafeStarts(r *sim.Result) []string {
	var starts []string
	for _, ran := range r.Ran {
		if !ran.Run.Effects.Repeatable() && !sim.StartsOver(ran.Run.Session) {
			starts = append(starts, ran.Run.Name+" "+ran.Run.Args)
		}
	}
	return starts
}

// compareKept compares the starts of unsafe tools, the outside world, the sessions,
// MEMORY.md, HISTORY.md and the messages sent.
// What two sessions write to one file may stand in either order.
func compareKept(straight, crashed *sim.Result) []string {
	wrong := compareStarts(straight, crashed)
	for _, s := range straight.Sessions {
		if find(crashed.Sessions, s.Name) < 0 {
			wrong = append(wrong, "there is no session "+s.Name)
		}
	}
	for _, got := range crashed.Sessions {
		i := find(straight.Sessions, got.Name)
		if i < 0 {
			wrong = append(wrong, "there is a session "+got.Name+", which there is not without the crash")
			continue
		}
		want := straight.Sessions[i]
		what := "session " + got.Name
		if slices.Equal(compressed(straight, got.Name), compressed(crashed, got.Name)) {
			wrong = append(wrong, compareList(what, messageLines(want.State.History), messageLines(got.State.History))...)
		}
		wrong = append(wrong, compareList(what+", pending", messageLines(want.State.Pending), messageLines(got.State.Pending))...)
		wrong = append(wrong, compareList(what+", archive", messageLines(want.Archive), messageLines(got.Archive))...)
		wrong = append(wrong, compareList(what+", texts", textLines(want.State.Texts), textLines(got.State.Texts))...)
		wrong = append(wrong, compareList(what+", skills", skillLines(want.State.Skills), skillLines(got.State.Skills))...)
	}
	if overStarts(crashed) == overStarts(straight) { // else a second initial inference has changed it
		wrong = append(wrong, compareLines("the world", thingLines(straight.World), thingLines(crashed.World))...)
	}
	wrong = append(wrong, compareLines("MEMORY.md", strings.Split(straight.MemoryFile, "\n"), strings.Split(crashed.MemoryFile, "\n"))...)
	wrong = append(wrong, compareLines("HISTORY.md", untimed(straight.History), untimed(crashed.History))...)
	return append(wrong, compareLines("messages", sentLines(straight.Messages), sentLines(crashed.Messages))...)
}

// compressed returns how many turns a session had each time it was saved by a compression
// (HND-67), which depends on when nobody waits.
func compressed(r *sim.Result, session string) (after []int) {
	turns, last := 0, ""
	for _, s := range r.Steps {
		for _, e := range s.Effects {
			save, ok := e.(fsm.SaveSession)
			if !ok || save.Session != session || save.Turn == last {
				continue
			}
			last = save.Turn
			if slices.ContainsFunc(s.Moves, func(m state.Move) bool { return m.Handle == save.Handle && m.Kind == fsm.KindMemory }) {
				after = append(after, turns)
			} else {
				turns++
			}
		}
	}
	return after
}

// overStarts counts the starts of tools by what starts over after a crash.
func overStarts(r *sim.Result) int {
	n := 0
	for _, ran := range r.Ran {
		if sim.StartsOver(ran.Run.Session) {
			n++
		}
	}
	return n
}

// find returns the place of a session, or -1.
func find(sessions []disk.Saved, name string) int {
	return slices.IndexFunc(sessions, func(s disk.Saved) bool { return s.Name == name })
}

// compareList compares lists in their order and names the first difference.
func compareList(what string, want, got []string) []string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			return []string{fmt.Sprintf("%s has %q too", what, got[i])}
		case i >= len(got):
			return []string{fmt.Sprintf("%s lacks %q", what, want[i])}
		case want[i] != got[i]:
			return []string{fmt.Sprintf("%s has %q, without the crash %q", what, got[i], want[i])}
		}
	}
	return nil
}

// compareLines compares lists whose order may differ.
func compareLines(what string, want, got []string) []string {
	return compareList(what, slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got)))
}

// messageLines are messages without the ids that a server gave their calls.
func messageLines(messages []fsm.Message) []string {
	var lines []string
	for _, m := range messages {
		line := string(m.Role) + " " + m.Tool + ": " + m.Text + m.Thinking
		for _, c := range m.Calls {
			line += " " + c.Name + c.Args
		}
		line += strings.Join(m.Used, " ")
		if m.Aside {
			line += " (aside)"
		}
		if m.Part != (fsm.Part{}) {
			line += fmt.Sprintf(" (part %+v)", m.Part)
		}
		for _, image := range m.Images {
			line += fmt.Sprintf(" (image %q)", image)
		}
		if m.Source != 0 {
			line += fmt.Sprintf(" (of %s)", strings.Join(m.Source.Names(), " and "))
		}
		lines = append(lines, line)
	}
	return lines
}

func skillLines(skills []fsm.LoadedSkill) []string {
	var lines []string
	for _, s := range skills {
		lines = append(lines, s.Name+"/"+s.Reference+": "+s.Text)
	}
	return lines
}

func textLines(texts []fsm.KeptText) []string {
	var lines []string
	for _, t := range texts {
		lines = append(lines, fmt.Sprintf("%+v", t))
	}
	return lines
}

func thingLines(things []sim.Thing) []string {
	var lines []string
	for _, t := range things {
		lines = append(lines, t.Name+": "+t.Data)
	}
	return lines
}

// untimed are entries of HISTORY.md without the time that each begins with.
func untimed(notes []string) []string {
	var lines []string
	for _, n := range notes {
		if end := strings.IndexByte(n, ']'); strings.HasPrefix(n, "[") && end > 0 {
			n = n[end+1:]
		}
		lines = append(lines, n)
	}
	return lines
}

func sentLines(messages []sim.Message) []string {
	var lines []string
	for _, m := range messages {
		if sim.StartsOver(m.Session) {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s:%s %t %s of %s", m.To.Channel, m.To.Chat, m.IsError, m.Text, m.Session))
	}
	return lines
}
