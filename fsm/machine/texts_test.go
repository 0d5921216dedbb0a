package machine_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"shelly/fsm"
)

// reader returns a driver of a machine in profile default whose turn has begun.
func reader(t *testing.T, limit func(*fsm.Config)) *driver {
	d := driverOf(t, "default")
	d.config.Switches.NoCognition = true
	if limit != nil {
		limit(&d.config)
	}
	d.boot()
	d.ask("read it")
	d.loads(fsm.Session{})
	return d
}

// toolKeeps answers a tool call with a result of the given bytes that is kept under a name,
// with a short head and tail.
func (d *driver) toolKeeps(ref string, bytes int) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{
		Answered: fsm.To(d.call(fsm.CallTool)), Text: "head " + ref, Kept: fsm.Kept{Ref: ref, Tail: "tail", Bytes: bytes, Tokens: bytes / 4},
	}})
}

// textSays answers a read of a kept text.
func (d *driver) textSays(in fsm.TextRead) {
	d.t.Helper()
	in.Answered = fsm.To(d.call(fsm.CallText))
	d.step(fsm.Input{At: d.now(), Fact: in})
}

// TXT-1: the share is half of what is free, divided by the number of calls, and the same
// for each.
func TestTXT1TheShareOfAResultIsDividedByTheCalls(t *testing.T) {
	share := func(calls int) int {
		d := reader(t, func(c *fsm.Config) { c.Limits.ReadsAtOnce = 1 })
		var names []string
		for range calls {
			names = append(names, "list_dir")
		}
		d.step(fsm.Input{At: d.now(), Fact: answerOfDistinct(d, names)})
		first := one[fsm.RunTool](d)
		if first.Keep.Owner != fsm.SessionOwner("s") {
			t.Errorf("the owner is %q", first.Keep.Owner)
		}
		if calls > 1 {
			d.toolSays(strings.Repeat("a line of it\n", 200))
			if second := one[fsm.RunTool](d); second.Keep != first.Keep {
				t.Errorf("the second of %d has %+v, the first %+v", calls, second.Keep, first.Keep)
			}
		}
		return first.Keep.Tokens
	}
	one, four, many := share(1), share(4), share(1000)
	if one < 2000 || one > 4096 || four > one/4 || four < one/4-10 || many != fsm.ShortText {
		t.Errorf("the shares are %d, %d and %d", one, four, many)
	}
}

// answerOfDistinct returns an answer that calls tools, each with different arguments.
func answerOfDistinct(d *driver, names []string) fsm.BrainAnswered {
	a := fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse}
	for i, name := range names {
		a.Calls = append(a.Calls, fsm.ToolCall{ID: fmt.Sprint("c", i), Name: name, Args: fmt.Sprintf(`{"n":%d}`, i)})
	}
	return a
}

// TXT-1: no share exceeds 4,096 tokens, and without read_more there is none.
func TestTXT1TheShareHasBounds(t *testing.T) {
	d := reader(t, func(c *fsm.Config) { c.Limits.ContextTokens = 131_072 })
	d.calls("list_dir")
	if got := one[fsm.RunTool](d).Keep.Tokens; got != 4096 {
		t.Errorf("in a large window the share is %d", got)
	}
	d = reader(t, func(c *fsm.Config) { c.Switches.KeepTexts = false })
	d.calls("list_dir")
	if got := one[fsm.RunTool](d).Keep; got != (fsm.Keep{}) {
		t.Errorf("without read_more the share is %+v", got)
	}
}

// TXT-4: results are numbered per session, and an equal one keeps its number.
func TestTXT4AResultHasOneNumberInItsSession(t *testing.T) {
	d := reader(t, nil)
	for i, ref := range []string{"aa", "bb", "aa"} {
		d.calls("list_dir")
		d.toolKeeps(ref, 9000)
		want := map[string]string{"aa": "result 1, from 7", "bb": "result 2, from 7"}[ref]
		if got := d.lastMessage(); !strings.Contains(got.Text, "head "+ref+"\n[… bytes 7 to 8996 of 9000, about 2247 tokens, are left out here; to read on: read_more with "+want+" …]\ntail") {
			t.Errorf("result %d: %q", i, got.Text)
		}
	}
	d.answer("read")
	save := one[fsm.SaveSession](d)
	if got := fmt.Sprint(save.State.Texts, save.State.LastText); got != "[{2 bb 9000 2250} {1 aa 9000 2250}] 2" {
		t.Errorf("the session keeps %s", got)
	}
}

// TXT-7: results of calls that ran together say which kept result they show, so that one that is
// shortened later says how to read on.
func TestTXT7ResultsOfABatchSayWhatTheyShow(t *testing.T) {
	d := reader(t, func(c *fsm.Config) { c.Limits.ReadsAtOnce = 2 })
	d.calls("list_dir", "list_dir")
	for i, ref := range []string{"bb", "aa"} { // the second is answered first
		d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{
			Answered: fsm.To(d.inFlight(fsm.CallTool)[1-i]), Text: "head " + ref, Kept: fsm.Kept{Ref: ref, Tail: "tail", Bytes: 9000 + i, Tokens: 2250},
		}})
	}
	c := d.conversation()
	var got []fsm.Part
	for _, msg := range c[len(c)-2:] {
		got = append(got, msg.Part)
	}
	same(t, []fsm.Part{{Result: 1, To: 9001}, {Result: 2, To: 9000}}, got)
}

// TXT-4: of a batch that is given up, a result that has come has its number, and is not kept again.
func TestTXT4AResultOfABatchIsKeptOnce(t *testing.T) {
	d := reader(t, func(c *fsm.Config) { c.Limits.ReadsAtOnce = 2 })
	d.calls("list_dir", "list_dir")
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{
		Answered: fsm.To(d.inFlight(fsm.CallTool)[0]), Text: "head aa", Kept: fsm.Kept{Ref: "aa", Tail: "tail", Bytes: 9000, Tokens: 2250},
	}})
	d.timeUp()
	h := d.active()
	if r := h.Inf.Batch[0]; !strings.Contains(r.Text, "read_more with result 1,") || r.Kept != (fsm.Kept{}) || len(h.Sess.Texts) != 1 {
		t.Errorf("%q, still to be kept: %+v; kept: %+v", r.Text, r.Kept, h.Sess.Texts)
	}
}

// TXT-5: read_more asks the world for a part, and says where it ends.
func TestTXT5ReadMoreIsAwaited(t *testing.T) {
	d := reader(t, nil)
	d.calls("list_dir")
	d.toolKeeps("aa", 9000)
	d.asksFor("read_more", `{"result":1,"from":5000}`)
	if read := one[fsm.ReadText](d); read.Owner != fsm.SessionOwner("s") || read.Ref != "aa" || read.From != 5000 || read.Tokens < 1000 {
		t.Errorf("it reads %+v", read)
	}
	d.boot() // the part is asked for again
	one[fsm.ReadText](d)
	d.textSays(fsm.TextRead{Text: "the middle", From: 4999})
	if got := d.lastMessage().Text; got != "the middle\n[bytes 4999 to 5009 of 9000 of result 1; to read on: read_more with result 1, from 5009]" {
		t.Errorf("got %q; want %q", got, "the middle\n[bytes 4999 to 5009 of 9000 of result 1; to read on: read_more with result 1, from 5009]")
	}
	d.asksFor("read_more", `{"result":1,"from":8996}`)
	d.textSays(fsm.TextRead{Text: "tail", From: 8996})
	if got := d.lastMessage().Text; got != "tail\n[bytes 8996 to 9000 of 9000 of result 1: its end]" {
		t.Errorf("got %q; want %q", got, "tail\n[bytes 8996 to 9000 of 9000 of result 1: its end]")
	}
	d.asksFor("read_more", `{"result":1}`)
	d.textSays(fsm.TextRead{Error: "the disk is broken"})
	if got := d.lastMessage().Text; got != "error: result 1 could not be read: the disk is broken" {
		t.Errorf("got %q; want %q", got, "error: result 1 could not be read: the disk is broken")
	}
}

// TXT-5: the model learns which results there are.
func TestTXT5AResultThatIsNotThere(t *testing.T) {
	d := reader(t, nil)
	wants := func(args, want string) {
		t.Helper()
		d.asksFor("read_more", args)
		if got := d.lastMessage().Text; got != want {
			t.Errorf("%s: got %q; want %q", args, got, want)
		}
	}
	wants(`{"result":1}`, "error: there is no result 1: none is kept")
	d.calls("list_dir")
	d.toolKeeps("aa", 9000)
	wants(`{"result":2}`, "error: there is no result 2; those that are kept: 1")
	wants(`{"result":0}`, "error: there is no result 0; those that are kept: 1")
	wants(`{"result":1,"from":9000}`, "error: from is a byte of result 1, from 0 to 8999")
	wants(`{"result":1`, "error: the arguments are not valid JSON: send one JSON object")
	wants(`{"result":{}}`, "error: the arguments do not fit the tool's schema")
	wants(`{"result":1.5}`, "error: the arguments do not fit the tool's schema")
	wants(`{"result":1,"from":0.5}`, "error: the arguments do not fit the tool's schema")
	wants(`{"result":99999999999999999999}`, "error: the arguments do not fit the tool's schema")
	wants(`{"from":1}`, "error: missing argument: result")
	for _, ref := range []string{"bb", "aa"} { // the first one counts as the newest then (TXT-6)
		d.calls("list_dir")
		d.toolKeeps(ref, 9000)
	}
	wants(`{"result":9}`, "error: there is no result 9; those that are kept: 1, 2")
}

// INF-42: a call that shares the result of an equal one shows the same part of it.
func TestTXT7ASharedResultSaysHowToReadOn(t *testing.T) {
	for _, atOnce := range []int{1, 4} {
		d := reader(t, func(c *fsm.Config) { c.Limits.ReadsAtOnce = atOnce })
		answer := answerOfDistinct(d, []string{"list_dir", "list_dir"})
		answer.Calls[1].Args = answer.Calls[0].Args
		d.step(fsm.Input{At: d.now(), Fact: answer})
		d.toolKeeps("aa", 9000)
		c := d.conversation()
		for _, msg := range c[len(c)-2:] {
			if msg.Part != (fsm.Part{Result: 1, To: 9000}) {
				t.Errorf("%d at once: %q shows %+v", atOnce, msg.Text, msg.Part)
			}
		}
	}
}

// TXT-6: the oldest results leave, a result longer than the limit is not kept, and one that
// the store no longer has is reported as gone.
func TestTXT6TheOldestResultsLeave(t *testing.T) {
	d := reader(t, func(c *fsm.Config) { c.Limits.MaxTextBytes = 20_000 })
	for _, ref := range []string{"aa", "bb", "aa", "cc"} {
		d.calls("list_dir")
		d.toolKeeps(ref, 9000)
	}
	d.asksFor("read_more", `{"result":2}`) // of the first two the second is the newer
	if got := d.lastMessage().Text; got != "error: result 2 is no longer kept; call the tool again if you still need it" {
		t.Errorf("got %q; want %q", got, "error: result 2 is no longer kept; call the tool again if you still need it")
	}
	d.asksFor("read_more", `{"result":1}`)
	d.textSays(fsm.TextRead{Gone: true})
	if got := d.lastMessage().Text; got != "error: result 1 is no longer kept; call the tool again if you still need it" {
		t.Errorf("got %q; want %q", got, "error: result 1 is no longer kept; call the tool again if you still need it")
	}
	d.calls("list_dir")
	d.toolKeeps("dd", 20_001)
	if got := d.lastMessage(); got.Text != "head dd\n[… 19990 bytes are left out here …]\ntail" || got.Part != (fsm.Part{}) {
		t.Errorf("%q shows %+v", got.Text, got.Part)
	}
	d.asksFor("read_more", `{"result":9}`)
	if got := d.lastMessage().Text; got != "error: there is no result 9; those that are kept: 1, 3" {
		t.Errorf("got %q; want %q", got, "error: there is no result 9; those that are kept: 1, 3")
	}
}

// toolKeepsLong answers a tool with a kept result whose head has many lines.
func (d *driver) toolKeepsLong(ref string) {
	d.t.Helper()
	head := strings.Repeat("a line of "+ref+"\n", 200)
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{
		Answered: fsm.To(d.call(fsm.CallTool)), Text: head, Kept: fsm.Kept{Ref: ref, Tail: "tail", Bytes: 90_000, Tokens: 22_500},
	}})
}

// TXT-6: results that others have kept in the meantime count, as the older ones.
func TestTXT6AConflictJoinsNoMoreThanMayBeKept(t *testing.T) {
	d := reader(t, func(c *fsm.Config) { c.Limits.MaxTextBytes = 20_000 })
	d.calls("list_dir")
	d.toolKeeps("aa", 9000)
	d.answer("read")
	d.conflicts(fsm.Session{Version: 4, LastText: 9, Texts: []fsm.KeptText{
		{Number: 7, Ref: "bb", Bytes: 12_000, Tokens: 3000}, {Number: 9, Ref: "cc", Bytes: 11_000, Tokens: 2750},
	}})
	if got := one[fsm.SaveSession](d).State; fmt.Sprint(got.Texts, got.LastText) != "[{9 cc 11000 2750} {1 aa 9000 2250}] 9" {
		t.Errorf("the session keeps %v, the last is %d", got.Texts, got.LastText)
	}
}

// TXT-7: a message that shows a kept result, or a part of one, says how to read on if it is
// shortened later.
func TestTXT7WhatIsShortenedSaysHowToReadOn(t *testing.T) {
	d := reader(t, func(c *fsm.Config) { c.Limits.ContextTokens = 4096 })
	d.calls("list_dir")
	d.toolKeepsLong("aa")
	d.asksFor("read_more", `{"result":1,"from":5000}`)
	d.textSays(fsm.TextRead{Text: strings.Repeat("on and on\n", 300), From: 5000})
	d.calls("list_dir")
	d.toolSays(strings.Repeat("something that is not kept\n", 400))
	var results []string
	for _, msg := range d.conversation() {
		if msg.Role == fsm.RoleTool {
			results = append(results, msg.Text)
		}
	}
	if len(results) != 3 || fsm.TextTokens(strings.Join(results, "")) > 4096 {
		t.Fatalf("the prompt has %d results: %q", len(results), results)
	}
	for i, want := range []string{
		`^(a line of aa\n)+[a-z ]*\n\[… bytes (\d+) to 90000 of 90000, about \d+ tokens, are left out here; to read on: read_more with result 1, from (\d+) …\]\n`,
		`^(on and on\n)+[a-z ]*\n\[… bytes (\d+) to 8000 of 90000, about \d+ tokens, are left out here; to read on: read_more with result 1, from (\d+) …\]\n`,
		`^(something that is not kept\n)+[a-z ]*\n?\[… \d+ bytes are left out here …\]\n`,
	} {
		m := regexp.MustCompile(want).FindStringSubmatch(results[i])
		if m == nil || i < 2 && m[2] != m[3] {
			t.Errorf("result %d is shortened to %q", i, results[i])
			continue
		}
		if from, _ := strconv.Atoi(m[len(m)-1]); i == 1 && (from < 5000 || from >= 8000) {
			t.Errorf("the part that was read from byte 5000 on continues from %d", from)
		}
	}
}

// TXT-8: /new forgets the results, and no number is given twice.
func TestTXT8NewForgetsTheResults(t *testing.T) {
	d := driverOf(t, "default")
	d.config.Switches.NoCognition = true
	d.boot()
	d.ask("/new")
	d.loads(fsm.Session{Version: 3, LastText: 7, Texts: []fsm.KeptText{{Number: 7, Ref: "aa", Bytes: 9000, Tokens: 2250}}})
	save := one[fsm.SaveSession](d)
	if len(save.State.Texts) > 0 || save.State.LastText != 7 {
		t.Fatalf("after /new the session keeps %+v, the last is %d", save.State.Texts, save.State.LastText)
	}
	d.saves()
	d.ask("read it")
	d.loads(fsm.Session{Version: 4, LastText: save.State.LastText})
	d.asksFor("read_more", `{"result":7}`)
	if got := d.lastMessage().Text; got != "error: result 7 is no longer kept; call the tool again if you still need it" {
		t.Errorf("got %q; want %q", got, "error: result 7 is no longer kept; call the tool again if you still need it")
	}
	d.calls("list_dir")
	d.toolKeeps("bb", 9000)
	if got := d.lastMessage().Text; !strings.Contains(got, "read_more with result 8, from 7") {
		t.Errorf("got %q; want one with %q", got, "read_more with result 8, from 7")
	}
}

func TestTXT8WithoutASessionAHandleOwnsItsResults(t *testing.T) {
	d := driverOf(t, "default")
	d.config.Switches.NoCognition, d.config.Switches.History = true, fsm.HistoryNone
	d.boot()
	d.ask("read it")
	d.calls("list_dir")
	owner := fsm.HandleOwner(d.active().ID)
	if got := one[fsm.RunTool](d).Keep.Owner; got != owner {
		t.Errorf("the result belongs to %q, want %q", got, owner)
	}
	d.toolKeeps("aa", 9000)
	d.asksFor("read_more", `{"result":1,"from":5000}`)
	if got := one[fsm.ReadText](d).Owner; got != owner {
		t.Errorf("a text of %q is read, want one of %q", got, owner)
	}
}
