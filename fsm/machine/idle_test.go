package machine_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// twoTalks lets two sessions each have an answer on a slow server, as a configuration says.
func twoTalks(t *testing.T, change func(*fsm.Config)) *driver {
	d := slow(t, change)
	d.in("a", strings.Repeat("How do I begin a sourdough? ", 20))
	d.finishes("a")
	d.in("b", strings.Repeat("How do I get from Vienna to Venice by train? ", 10))
	d.finishes("b")
	return d
}

func slow(t *testing.T, change func(*fsm.Config)) *driver {
	return places(t, 1, func(c *fsm.Config) {
		c.Switches.Remember, c.Switches.TellTime = fsm.RememberIdle, false
		c.Pace.Reads, c.Limits.SessionBurst = 10, 1
		if change != nil {
			change(c)
		}
	})
}

// of returns the memory handle of a session.
func (d *driver) of(session string) *state.Handle {
	d.t.Helper()
	for i := range d.m.View().Handles {
		if h := &d.m.View().Handles[i]; h.Session == session && h.Kind == fsm.KindMemory {
			return h
		}
	}
	d.t.Fatalf("session %s is not remembered", session)
	return nil
}

// idles ends the quiet time of a session's memory handle.
func (d *driver) idles(session string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.TimerFired{Timer: d.of(session).Wait}})
}

// A summary idles only if it would displace another conversation, and how long that takes is
// known; so the one of the conversation that was held last goes first.
func TestHND66ASummaryIdlesOnlyIfItWouldDisplaceAnother(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*fsm.Config)
		a, b   fsm.State
	}{
		{"the server holds b's", nil, state.Idling, state.Summarizing},
		{"each under a prompt of its own", func(c *fsm.Config) { c.Switches.SideCalls = fsm.SideAlone }, state.Idling, state.Idling},
		{"no speed is known", func(c *fsm.Config) { c.Pace.Reads = 0 }, state.Summarizing, state.Queued},
		{"no progress is followed", func(c *fsm.Config) { c.Switches.Progress = false }, state.Summarizing, state.Queued},
		{"too many wait", func(c *fsm.Config) { c.Limits.MaxQueue = 2 }, state.Summarizing, state.Queued},
		{"up to the sixth edition", func(c *fsm.Config) { c.Edition = fsm.SixthEdition }, state.Summarizing, state.Queued},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := twoTalks(t, tt.change)
			d.inStates(tt.a, tt.b)
		})
	}
}

// A later turn of its session, too, may have changed the conversation, as by a compaction.
func TestHND66ASummaryIdlesAfterALaterTurnOfItsSession(t *testing.T) {
	d := slow(t, func(c *fsm.Config) { c.Limits.MaxTurns, c.Edition = 1, fsm.SeventhEdition })
	d.in("a", "How do I begin a sourdough?")
	d.loads(fsm.Session{})
	d.in("a", "How do I get from Vienna to Venice by train?")
	d.answer("With a starter.")
	d.saves()
	d.loads(fsm.Session{Version: 1, History: []fsm.Message{{Role: fsm.RoleSystem, Text: "A sourdough begins with a starter."}}})
	d.answer("By day.")
	d.saves()
	d.inStates(state.Idling, state.Summarizing)
}

// A turn after which the model is not asked (HND-49) is stored at once.
func TestHND66WithoutASummaryNothingIdles(t *testing.T) {
	d := slow(t, func(c *fsm.Config) { c.Limits.ContextTokens = 2000 })
	d.in("a", "Tell me a story.")
	d.loads(fsm.Session{})
	d.in("b", "How do I get from Vienna to Venice?")
	d.answer(strings.Repeat("It was a dark and stormy night. ", 200))
	d.saves()
	d.finishes("b")
	d.inStates(state.Embedding, state.Queued)
}

// It idles as long as the server takes to read its prompt, and then the other conversation,
// without what precedes both.
func TestHND66ASummaryIdlesForTheTimeOfTwoPrompts(t *testing.T) {
	for _, offer := range []int{0, 200} {
		d := twoTalks(t, func(c *fsm.Config) { c.Limits.OfferTokens = offer })
		var after fsm.Millis
		for _, timer := range of[fsm.SetTimer](d.effects) {
			if timer.Purpose == fsm.TimerIdle {
				after = timer.After
			}
		}
		held := d.m.View().Cached.Tokens // b's summary: its conversation and the question
		d.answer("trains")
		d.embeds()
		d.stores()
		d.idles("a")
		d.inStates(state.Summarizing)
		h := d.of("a")
		read, fixed := h.Inf.Anew, h.Inf.Prompt-h.Inf.Anew
		lost := held - fixed - fsm.MessageTokens(one[fsm.AskBrain](d).Conversation.Messages[2])
		if want := fsm.Millis(read+lost) * fsm.Second / 10; after < want || after > want+2*fsm.Second {
			t.Errorf("it idles %s; to read %d and %d of %d tokens takes %s", after, read, lost, held, want)
		}
		if offered := h.Sess.Offer.Made(); offered != (offer > 0) {
			t.Errorf("with offer_tokens %d the offer is %+v", offer, h.Sess.Offer)
		}
	}
}

// Whoever comes sends it back to the queue, as does the end of its time if another runs by then.
func TestHND66ASummaryThatIdlesGivesWay(t *testing.T) {
	d := twoTalks(t, nil)
	d.idles("a")
	d.inStates(state.Queued, state.Summarizing)
	d.answer("trains")
	d.embeds()
	d.inStates(state.Queued, state.Storing)
	d.stores()
	d.inStates(state.Idling)
	key := d.in("b", "and by night?")
	d.inStates(state.Queued, state.Loading)
	d.cancels(key)
	d.inStates(state.Idling)
	d.signal()
	d.inStates(state.Parked, state.Execution) // and the farewell
}

// A compression is foreseen if what the model was last sent, its answer without the thinking, and
// as much as the turn has again, are more than the threshold.
func TestHND67ACompressionIsForeseen(t *testing.T) {
	foreseen := func(window int, change func(*fsm.Config)) (tokens int, foreseen bool) {
		d := slow(t, func(c *fsm.Config) {
			c.Limits.ContextTokens, c.Limits.CompressPercent = window, 50
			if change != nil {
				change(c)
			}
		})
		d.in("a", "How do I begin a sourdough?")
		d.loads(fsm.Session{})
		ask := one[fsm.AskBrain](d)
		d.answer("done")
		d.saves()
		for _, h := range d.m.View().Handles {
			foreseen = foreseen || h.Compacts
		}
		question := ask.Conversation.Messages[len(ask.Conversation.Messages)-1]
		return ask.Tokens + fsm.MessageTokens(question) + 2*fsm.MessageTokens(fsm.Message{Role: fsm.RoleAssistant, Text: "done"}), foreseen
	}
	tokens, _ := foreseen(8192, nil)
	tokens, _ = foreseen(2*tokens, nil) // a smaller window has shorter prompts
	for _, tt := range []struct {
		name   string
		window int
		change func(*fsm.Config)
		want   bool
	}{
		{"as much as the threshold", 2 * tokens, nil, false},
		{"a token more", 2*tokens - 2, nil, true},
		{"without compress", 2*tokens - 2, func(c *fsm.Config) { c.Switches.Compress = false }, false},
		{"without progress, so that it is not known what the server holds", 2*tokens - 2, func(c *fsm.Config) { c.Switches.Progress = false }, false},
		{"up to the eighth edition", 2*tokens - 2, func(c *fsm.Config) { c.Edition = fsm.EighthEdition }, false},
	} {
		if _, got := foreseen(tt.window, tt.change); got != tt.want {
			t.Errorf("%s: a compression waits: %t", tt.name, got)
		}
	}
}

// A request that brings its own history has none that could be compressed.
func TestHND67AHistoryOfItsOwnIsNotCompressed(t *testing.T) {
	d := slow(t, func(c *fsm.Config) { c.Limits.CompressPercent = 1 })
	history := []fsm.Message{{Role: fsm.RoleUser, Text: "How are you?"}, {Role: fsm.RoleAssistant, Text: "Fine."}}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{Channel: "test", ID: "r"}, Session: "a", Text: "And the sourdough?", Context: history}})
	d.answer("It rises.")
	d.inStates(state.Embedding)
}

// A history that the next turn consolidates is left to it.
func TestHND67AHistoryThatIsToBeConsolidatedIsNotCompressed(t *testing.T) {
	d := slow(t, func(c *fsm.Config) {
		c.Switches.Overflow, c.Limits.MaxHistory, c.Limits.KeepMessages, c.Limits.CompressPercent = fsm.OverflowConsolidate, 3, 1, 1
	})
	d.in("a", "How do I begin a sourdough?")
	d.loads(fsm.Session{})
	d.answer("With a starter.")
	d.saves()
	d.answer("sourdough")
	d.embeds()
	d.stores()
	var history []fsm.Message
	for _, text := range []string{"How do I begin a sourdough?", "And then?"} {
		history = append(history, fsm.Message{Role: fsm.RoleUser, Text: text}, fsm.Message{Role: fsm.RoleAssistant, Text: "With a starter."})
	}
	d.inStates(state.Loading)
	d.loads(fsm.Session{Version: 1, History: history})
	d.inStates()
}

// Where so many memory handles wait that they take their turn like any other, a compression still
// waits until nobody else does, and gives way.
func TestHND67ACompressionAlwaysGivesWay(t *testing.T) {
	d := slow(t, func(c *fsm.Config) {
		c.Limits.ContextTokens, c.Limits.CompressPercent, c.Limits.MaxQueue, c.Limits.KeepMessages = 2000, 1, 1, 1
	})
	d.in("a", "How do I begin a sourdough?")
	d.finishes("a")
	d.answer("sourdough")
	d.embeds()
	d.in("b", "How do I get from Vienna to Venice by train?")
	d.inStates(state.Storing, state.Queued, state.Queued)
	d.stores()
	d.inStates(state.Queued, state.Loading)
}
