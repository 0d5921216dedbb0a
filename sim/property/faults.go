package property

import (
	"time"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// The calls among which faults are drawn. A case has rarely more.
const (
	callsDrawn   = 40
	appendsDrawn = 200
	pointsDrawn  = 200
)

// chance is a fault of a kind and how often it strikes.
type chance struct {
	key   string // under faults; of the journal's the part after it
	p     format.Chance
	calls int
	how   []*strict.Node // what goes wrong
}

func chances(c *format.Chances) []chance {
	failing := flow(text("code"), text("busy"), text("message"), text("come back later"))
	busy := flow(text("code"), text("busy"), text("retryable"), strict.True())
	service := func(key string, fails, hangs format.Chance) []chance {
		return []chance{
			{key, fails, callsDrawn, []*strict.Node{text("fails"), text("it does not work")}},
			{key, hangs, callsDrawn, []*strict.Node{text("hangs"), strict.True()}},
		}
	}
	all := []chance{
		{"brain", c.BrainError, callsDrawn, []*strict.Node{text("fails"), text("error")}},
		{"brain", c.BrainBusy, callsDrawn, []*strict.Node{text("fails"), failing}},
		{"brain", c.BrainCut, callsDrawn, []*strict.Node{text("cut"), strict.True()}},
		{"brain", c.BrainGarbage, callsDrawn, []*strict.Node{text("garbage"), text("{not JSON")}},
		{"brain", c.BrainHangs, callsDrawn, []*strict.Node{text("hangs"), strict.True()}},
		{"tool", c.ToolError, callsDrawn, []*strict.Node{text("fails"), text("it does not work")}},
		{"tool", c.ToolBusy, callsDrawn, []*strict.Node{text("fails"), busy}},
		{"tool", c.ToolHangs, callsDrawn, []*strict.Node{text("hangs"), strict.True()}},
		{"tool", c.ToolLost, callsDrawn, []*strict.Node{text("started_then_lost"), strict.True()}},
	}
	all = append(all, service("recall", c.RecallError, c.RecallHangs)...)
	all = append(all, service("embedding", c.EmbeddingError, c.EmbeddingHangs)...)
	all = append(all, service("store", c.StoreError, c.StoreHangs)...)
	all = append(all, service("sessions", c.SessionsError, c.SessionsHangs)...)
	return append(all,
		chance{"full", c.JournalFull, appendsDrawn, nil},
		chance{"fsync_error", c.JournalFsync, appendsDrawn, nil},
		chance{"torn_tail", c.JournalTorn, appendsDrawn, nil},
	)
}

// faults draws what goes wrong: calls and appends by their numbers, and crashes.
func (g *generator) faults() *strict.Node {
	out, journal := strict.Map(), strict.Map()
	for _, c := range chances(&g.of.Generate.Faults) {
		if c.p == 0 {
			continue
		}
		to := out
		if c.calls == appendsDrawn {
			to = journal
		}
		for _, nth := range g.draw.strikes(c.key, g.often(int(c.p)), c.calls) {
			fault := flow(text("nth"), strict.Number(nth))
			fault.Content = append(append(fault.Content, c.how...), text("optional"), strict.True())
			addTo(to, c.key, fault)
		}
	}
	if len(journal.Content) > 0 {
		out.Put("journal", journal)
	}
	g.crashes(out)
	return out
}

// often is the chance of a fault in a case, in thousandths: as the file has it, none, or
// more. What is to be always is always.
func (g *generator) often(p int) int {
	if s := g.of.Generate.Swarm; s != nil && !*s || p >= thousand {
		return p
	}
	switch g.draw.Choose("swarm", 4) {
	case 1:
		return 0
	case 2:
		return min(2*p, thousand-1)
	case 3:
		return min(4*p, thousand-1)
	default:
		return p
	}
}

// crashes draws where the process dies.
func (g *generator) crashes(out *strict.Node) {
	own := g.of.Generate.Faults.Crash
	if own == nil {
		return
	}
	points := []sim.Point(own.At)
	if points == nil {
		points = sim.Points()
	}
	for _, nth := range g.draw.strikes("crash", g.often(int(own.P)), pointsDrawn) {
		g.draw.within(func() {
			point := points[g.draw.Choose("point", len(points))]
			crash := flow(text("at"), text(string(point)))
			if point == sim.AfterStep {
				crash.Content[1] = text(string(point) + "." + strict.Number(nth).Value)
			} else {
				crash.Put("nth", strict.Number(nth))
			}
			if own.Restart != nil {
				crash.Put("restart_after", text(own.Restart.Draw(g.draw, "restart")))
			}
			crash.Put("optional", strict.True())
			addTo(out, "crash", crash)
		})
	}
}

// addTo adds to the list of a key.
func addTo(out *strict.Node, key string, one *strict.Node) {
	value := out.Get(key)
	if value == nil {
		value = strict.List()
		out.Put(key, value)
	}
	value.Content = append(value.Content, one)
}

// millis is a duration that was drawn.
func millis(text string) fsm.Millis {
	length, _ := time.ParseDuration(text) // as it was written
	return fsm.Millis(length / time.Millisecond)
}
