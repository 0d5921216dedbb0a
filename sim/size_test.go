package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/prompt"
	"shelly/sim/disk"
	"shelly/sim/script"
	"shelly/sim/server"
)

// kinds of text that a tokenizer, and the estimate, make more or less of.
var sorts = []string{"the pump ran all day ", "水泵运行了一整天。", "aGVsbG8gd29ybGQh", "{\"a\": [1, 2]},\n"}

// textOf draws a text of at most n tokens, as estimated.
func textOf(t *rapid.T, most int, of string) string {
	sort := rapid.SampledFrom(sorts).Draw(t, of+" sort")
	tokens := rapid.IntRange(1, max(most, 1)).Draw(t, of+" tokens")
	return strings.Repeat(sort, max(tokens/max(fsm.TextTokens(sort), 1), 1))
}

// readsOn draws a call that reads on in one of the long results so far, of this turn or of
// one before. It may have left, or never have come where a call was not run.
func readsOn(t *rapid.T, results []string) fsm.ToolCall {
	i := rapid.IntRange(0, len(results)-1).Draw(t, "of result")
	from := rapid.IntRange(0, len(results[i])).Draw(t, "from")
	return fsm.ToolCall{Name: fsm.ToolReadMore, Args: fmt.Sprintf(`{"result":%d,"from":%d}`, i+1, from)}
}

// pressed draws a plan whose texts press on the window from all sides: a history, MEMORY.md,
// results and what is read on in them, answers. Requests and answers have the size that there is to be room for.
func pressed(t *rapid.T, counts int) Plan {
	c, _ := profile.Named(rapid.SampledFrom(profile.Names()).Draw(t, "profile"))
	c.Init = fsm.InitOff
	c.Limits.HandleTimeout, c.Limits.CompactTimeout = 1000*3600*fsm.Second, 1000*3600*fsm.Second
	read := Stub{Decl: fsm.ToolDecl{Name: "read", Effects: fsm.EffectsNone, Parameters: `{"type":"object"}`}}
	with := c
	with.Tools = append(with.Tools[:len(with.Tools):len(with.Tools)], read.Decl)
	least := prompt.WindowMin(with) * max(counts, 100) / 100 // which a tokenizer that makes more of it needs
	window := least
	if rapid.Bool().Draw(t, "more than the least") {
		window = rapid.IntRange(least, 131_072).Draw(t, "window")
	}
	c.Limits.ContextTokens = window
	answer := c.AnswerRoom() * 50 / max(counts, 100)
	p := Plan{Config: c, Server: &server.Config{Window: window, Counts: counts}}
	if rapid.Bool().Draw(t, "a memory") {
		p.MemoryFile = textOf(t, 2*window, "memory")
	}
	if n := rapid.IntRange(0, 12).Draw(t, "history"); n > 0 && c.Switches.History != fsm.HistoryNone {
		var history []fsm.Message
		for range n {
			history = append(history, fsm.Message{Role: fsm.RoleUser, Text: textOf(t, window/4, "past question")},
				fsm.Message{Role: fsm.RoleAssistant, Text: textOf(t, window/2, "past answer")})
		}
		p.Sessions = append(p.Sessions, disk.Saved{Name: "cli:direct", State: fsm.Session{Version: 1, History: history}})
	}
	var lines []script.Line
	var results []string // the long ones, in the order in which they are numbered
	for i := range rapid.IntRange(1, 4).Draw(t, "turns") {
		p.Timeline = append(p.Timeline, Moment{At: fsm.Millis(i) * 3600 * fsm.Second, Request: &fsm.Requested{
			Request: fsm.RequestKey{ID: fmt.Sprint("r", i)}, Text: textOf(t, 128, "question"),
		}})
		for range rapid.IntRange(0, 2).Draw(t, "rounds") {
			line := script.Line{}
			for n := range rapid.IntRange(1, 3).Draw(t, "calls") {
				if len(results) > 0 && rapid.Bool().Draw(t, "reads on") {
					line.Calls = append(line.Calls, readsOn(t, results))
					continue
				}
				line.Calls = append(line.Calls, fsm.ToolCall{Name: "read", Args: fmt.Sprintf(`{"n":%d}`, len(lines)*10+n)})
				result := textOf(t, 3*window, "result")
				read.Acts = append(read.Acts, Act{Returns: result})
				if fsm.TextTokens(result) > fsm.ShortText && !slices.Contains(results, result) {
					results = append(results, result)
				}
			}
			lines = append(lines, line)
		}
		lines = append(lines, script.Line{Text: textOf(t, answer, "answer")})
	}
	lines = append(lines, script.Line{Text: "That is all.", Times: 1000}) // a refused call has taken a line, too
	p.Stubs = []Stub{read}
	p.Scripts = []script.Script{{Purpose: fsm.PurposeAnswer, Lines: lines}}
	for _, side := range []fsm.Purpose{fsm.PurposeSummary, fsm.PurposeCompact} {
		text := textOf(t, answer, string(side))
		if rapid.Bool().Draw(t, "as asked") {
			text = fmt.Sprintf(`{"history_entry": "Spoken of.", "memory_update": %q}`, text)
		}
		p.Scripts = append(p.Scripts, script.Script{Purpose: side, Lines: []script.Line{{Text: text, Times: 1000}}})
	}
	return p
}

// CTX-10 to CTX-15: whatever the sizes, in any profile and window, no reply is an error
// and no prompt is refused for its length, where the estimate is the server's count.
func TestCTX10NoReplyIsAnErrorForSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { fits(t, pressed(t, 100), false) })
}

// CTX-12: nor is one where the server's tokenizer makes three times as much of a text as
// the estimate does, or half; but prompts are refused until that is known.
func TestCTX12NoReplyIsAnErrorWhateverTheTokenizer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { fits(t, pressed(t, rapid.IntRange(50, 300).Draw(t, "counts")), true) })
}

func fits(t *rapid.T, p Plan, refuses bool) {
	r, err := Run(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations {
		t.Errorf("after step %d: %s: %s", v.Step, v.Invariant, v.Text)
	}
	for _, a := range r.Asked {
		if a.Served.Refused && !refuses {
			t.Errorf("a prompt of %d tokens for %s is refused in a window of %d", a.Served.Prompt, a.Ask.Purpose, p.Server.Window)
		}
	}
	for _, q := range r.Requests {
		if !q.Done || q.IsError {
			t.Errorf("window %d, profile %s: %q", p.Server.Window, p.Config.Profile, q.Reply)
		}
	}
}

// CTX-11: only a request whose own text is too long is refused for its length, and the
// model is not asked.
func TestCTX11ATooLongRequestIsRefusedBeforeTheModelIsAsked(t *testing.T) {
	for _, name := range profile.Names() {
		c, _ := profile.Named(name)
		c.Init, c.Limits.ContextTokens = fsm.InitOff, 8192
		p := Plan{
			Config: c, Server: &server.Config{Window: 8192},
			Timeline: []Moment{{Request: &fsm.Requested{Request: fsm.RequestKey{ID: "r"}, Text: strings.Repeat("why so long ", 3000)}}},
		}
		r := play(t, p, Options{})
		if len(r.Requests) != 1 || !r.Requests[0].IsError || !strings.Contains(r.Requests[0].Reply, "6572 of 8192") || len(r.Asked) > 0 {
			t.Errorf("%s: %d questions, %+v", name, len(r.Asked), r.Requests)
		}
	}
}
