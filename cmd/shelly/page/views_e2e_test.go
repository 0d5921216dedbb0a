//go:build browser_e2e

package page

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/browser"
)

func TestCOM70EachViewShowsWhatThereIs(t *testing.T) {
	w := begin(t, calls)
	w.enter()
	w.ask("Please change the notes.")
	w.Click(".question button", "Yes")
	w.See(".answer", "Done")

	w.Click("nav a", "Schedules")
	w.See("main", "No schedule yet")
	w.Type("main textarea", "water the plants")
	w.Type("main .bar input", "0 9 * * *")
	w.Click("main button", "Add")
	w.See(".rows li", "water the plants")
	w.Click(".rows button", "Pause")
	w.See(".chip", "paused")
	w.pictures("schedules")
	w.Click(".rows button", "Resume")
	w.See(".rows", "next")

	w.Click("nav a", "Memory")
	w.See(".rows li", "Summary of")
	w.Type("main textarea", "Ann waters the plants on Mondays.")
	w.Click("main button", "Remember")
	w.See(".rows li", "Ann waters the plants")
	w.Type("main input[type=search]", "plants")
	w.Click("main button", "Search")
	w.See(".rows li", "word 1: ")
	w.pictures("memory")
	w.Click(".rows li button", "Forget")
	w.Click(".rows li button", "Really forget it")
	w.See(".rows li", "Forgotten, for good.")

	w.Click("nav a", "Sessions")
	w.See(".rows a", "cli:direct")
	w.Type("main input[type=search]", "changed")
	w.Click("main button", "Search")
	w.See(".rows li", "line | text")
	w.pictures("sessions")

	w.Click("nav a", "Requests")
	w.See(".rows a", "Please change the notes.")
	w.pictures("requests")
	w.Click(".rows a", "Please change the notes.")
	w.See(".steps li", "read_file returned")
	w.Click("main button", "Show the report")
	w.Within("iframe.report", func() {
		w.See("body", "read_file returned")
		var apart string
		w.Script(&apart, `try { return String(parent.document.title) + sessionStorage.length } catch (e) { return e.name }`)
		if apart != "SecurityError" {
			t.Errorf("a report reaches the page: %q", apart)
		}
	})
	w.pictures("report", "iframe.report")
	w.Click(".steps summary", "read_file returned")
	w.See(".steps .label", "Transitions")
	w.pictures("request")
	w.Script(nil, `arguments[0].value = 'no such file'`, w.Element(".fork textarea"))
	w.Click(".fork button", "Try it")
	w.See(".way", "As it would have been")
	w.See(".ways + *, .way", "your change")
	w.pictures("fork", ".ways")

	w.Click("nav a", "Status")
	w.See("main", "None. When shelly asks")
	w.pictures("status")
	w.Click("nav a", "Live")
	w.See("main", "Nothing runs.")
	w.pictures("live")
	w.Click("nav a", "Sessions")
	w.Click(".rows a", "Read")
	w.See(".log", "Please change the notes.")
	w.Click("main button", "Forget")
	w.Click("main button", "Really forget it")
	w.See(".log", "Forgotten, for good: ")
	w.Click("main a", "Open as chat")
	w.See("main", "Nothing was said here yet.")
	w.Click("nav a", "Sessions")
	w.See("main", "No session yet")
	w.Click("nav a", "Messages")
	w.pictures("messages")
	w.clean()
}

const waters = `scenario: 1
name: waters
profile: default
brain: [{says: "They have water."}]
timeline: [{user: "Water the plants."}]
expect: {ends: serving}
`

func TestCOM85TheRequestsViewShowsRunsToo(t *testing.T) {
	w := begin(t, waters)
	w.enter()
	w.ask("Hello?")
	w.See(".answer", "They have water.")
	w.Click("nav a", "Schedules")
	w.Type("main textarea", "water the plants")
	w.Type("main .bar input", "0 9 * * *")
	w.Click("main button", "Add")
	w.Click(".rows button", "Run now")
	w.Click("nav a", "Messages")
	w.See("main", "They have water.")

	w.Click("nav a", "Requests")
	w.See(".rows a", "Hello?")
	if n := w.Count(".rows a", "water the plants"); n != 0 {
		t.Errorf("%d runs are among the requests", n)
	}
	which := w.Element("main select[aria-label=Which]")
	w.Script(nil, `arguments[0].value = 'all'; arguments[0].dispatchEvent(new Event('change'))`, which)
	w.See(".rows a", "water the plants")
	w.See(".rows a", "Hello?")
	w.See(".rows li", "schedule · ")
	w.pictures("runs")
	w.Click(".rows a", "water the plants")
	w.See("h1", "Run")
	w.See("main", "schedule")
	w.See(".steps li", "the model answered")
	w.Click("main button", "Show the report")
	w.Within("iframe.report", func() { w.See("body", "They have water.") })
	w.pictures("run")
	w.clean()
}

// A search that cannot be made says so, and does not stay as if it went on.
func TestCOM73ASearchOfSessionsThatFailsSaysSo(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Click("nav a", "Sessions")
	w.See("main", "No session yet")
	w.Protocol("Network.enable", nil)
	w.Protocol("Network.emulateNetworkConditions", map[string]any{"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
	w.Type("main input[type=search]", "written")
	w.Click("main button", "Search")
	w.See("main .note", "shelly does not answer")
}

// A search asks once for a session, for some at once, and says how far it is.
func TestCOM73ASearchOfSessionsSaysHowFarItIs(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Click("nav a", "Sessions")
	w.See("main", "No session yet")
	w.Script(nil, `const send = window.fetch, held = new Promise((go) => (window.release = go));
		window.asked = [];
		window.fetch = async (path, how) => {
			if (!path.startsWith('/v1/sessions')) return send(path, how);
			if (path === '/v1/sessions') return { ok: true, json: async () => ({ sessions: [1, 2, 3, 4, 5, 6].map((n) => ({ id: 's' + n, last: n < 6 ? 1 : 0, at: 9 - n })) }) };
			window.asked.push(path);
			if (path.includes('/s5')) await held;
			return { ok: true, json: async () => ({ messages: [{ number: 1, message: { role: 'user', text: 'a pear' } }] }) };
		}`)
	w.Type("main input[type=search]", "pear")
	w.Click("main button", "Search")
	w.See("main", "Searching… 4 of 6 sessions")
	w.Script(nil, `window.release()`)
	w.See("main", "5 found.")
	var asked int
	w.Script(&asked, `return window.asked.length`)
	if asked != 5 {
		t.Errorf("the page has asked %d times for what was said in 5 sessions", asked)
	}
	w.clean()
}

// A search of sessions finds the newest messages, and shows the newest first.
func TestCOM73ASearchOfSessionsFindsTheNewest(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Click("nav a", "Sessions")
	w.See("main", "No session yet")
	w.Script(nil, `const send = window.fetch;
		const said = (id, n) => ({ number: n, at: 1000 * n + (id === 'old' ? 0 : 500), message: { role: 'user', text: id + ' pear ' + n + '.' } });
		window.fetch = async (path, how) => {
			if (!path.startsWith('/v1/sessions')) return send(path, how);
			if (path === '/v1/sessions') return { ok: true, json: async () => ({ sessions: [{ id: 'old', last: 700, at: 700000 }, { id: 'new', last: 20, at: 20500 }] }) };
			const url = new URL(path, location.href), after = Number(url.searchParams.get('after')), limit = Math.min(100, Number(url.searchParams.get('limit')));
			const id = url.pathname.split('/').pop(), last = id === 'old' ? 700 : 20;
			const messages = [];
			for (let n = Math.max(after, 30 * (id === 'old')) + 1; n <= last && messages.length < limit; n++) messages.push(said(id, n));
			return { ok: true, json: async () => ({ messages }) };
		}`)
	w.Type("main input[type=search]", "pear")
	w.Click("main button", "Search")
	w.See("main", "50 or more found.")
	w.See(".rows li:first-child", "old pear 700.")
	w.See(".rows li:last-child", "old pear 651.")
	w.clean()
}

// What shelly told the model of its own is not shown as the person's, neither in a search nor in the session.
func TestCOM73WhoSaidItIsToldByItsSource(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Click("nav a", "Sessions")
	w.See("main", "No session yet")
	w.Script(nil, `const send = window.fetch, answers = {
			'/v1/sessions': { sessions: [{ id: 'inbox', last: 4, at: 9 }] },
			'/v1/sessions/inbox': { messages: [
				{ number: 1, message: { role: 'user', text: 'a pear fell', source: ['outside'] } },
				{ number: 2, message: { role: 'assistant', text: 'the pear is down', source: ['outside', 'model'] } },
				{ number: 3, message: { role: 'user', text: 'which pear?', source: ['person'] } },
				{ number: 4, message: { role: 'user', text: 'an old pear' } },
			] },
		};
		window.fetch = async (path, how) => {
			const answer = answers[path.split('?')[0]];
			return answer ? { ok: true, json: async () => answer } : send(path, how);
		}`)
	w.Type("main input[type=search]", "pear")
	w.Click("main button", "Search")
	for _, said := range []string{"System: a pear fell", "shelly: the pear is down", "You: which pear?", "You: an old pear"} {
		w.See(".rows li", said)
	}
	w.Click(".rows a", "inbox")
	w.See(".log", "an old pear")
	for who, want := range map[string]int{"System": 1, "You": 2} { // order-free: each by itself
		if got := w.Count(".log .who", who); got != want {
			t.Errorf("%d messages are shown as by %s, want %d", got, who, want)
		}
	}
	w.clean()
}

// An answer that comes late does not replace that of a later search.
func TestCOM73TheLastSearchOfTheMemoryIsShown(t *testing.T) {
	w := begin(t, slow)
	w.shelly("memory", "add", "The apple is red.")
	w.shelly("memory", "add", "The pear is green.")
	w.enter()
	w.Click("nav a", "Memory")
	w.See(".rows li", "The apple")
	w.Script(nil, `const held = new Promise((go) => (window.release = go)), send = window.fetch;
		window.fetch = async (path, how) => {
			const answer = await send(path, how);
			if (!path.includes('text=apple')) return answer;
			return { ok: true, json: async () => {
				const body = await answer.json();
				await held;
				setTimeout(() => (window.over = true));
				return body;
			} };
		}`)
	words := w.Element("main input[type=search]")
	search := func(text string) {
		w.Script(nil, `arguments[0].value = arguments[1]; arguments[0].form.requestSubmit()`, words, text)
	}
	search("apple")
	w.See("main", "Searching…")
	search("pear")
	w.See(".rows li", "The pear")
	w.Script(nil, `window.release()`)
	w.Await("the first answer", func() (over bool) {
		w.Script(&over, `return window.over === true`)
		return over
	})
	if w.Count(".rows li", "The apple") != 0 || w.Count(".rows li", "The pear") != 1 {
		t.Error("the answer of the first search replaced that of the second")
	}
	w.clean()
}

// The picker offers every session, and says nothing where they cannot be read: a name can be typed.
func TestCOM73ThePickerOffersEverySession(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.See("#ask", "")
	w.Script(nil, `addEventListener('unhandledrejection', () => (window.unheeded = true));
		const send = window.fetch;
		window.fetch = async (path, how) => {
			if (!path.startsWith('/v1/sessions')) return send(path, how);
			if (path.includes('after=one')) return new Response('{"sessions":[{"id":"two"}]}');
			return new Response('{"sessions":[{"id":"one"}],"next":"one"}');
		}`)
	offered := func() (n int) {
		w.Script(&n, `return document.querySelectorAll('#sessions option').length`)
		return n
	}
	w.Click(".pick", "")
	w.Await("both sessions", func() bool { return offered() == 2 })
	w.Press(browser.Tab)
	w.Script(nil, `window.fetch = async () => { setTimeout(() => (window.over = true), 0); throw new TypeError('cut'); }`)
	w.Click(".pick", "")
	w.Await("the failure", func() (over bool) {
		w.Script(&over, `return window.over === true`)
		return over
	})
	var unheeded bool
	w.Script(&unheeded, `return window.unheeded === true`)
	if unheeded || offered() != 2 {
		t.Errorf("unheeded %t, offered %d", unheeded, offered())
	}
}

// What runs keeps its place in the live view while it goes on, so that the keyboard can reach its
// button, and can be cancelled there over whatever channel it came.
func TestCOM73WhatRunsCanBeCancelledInTheLiveView(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	asked := exec.Command(w.bin, "ask", "--quiet", "--channel", "telegram", "--chat", "7", "Please write.", "--data", filepath.Join(w.dir, "data"))
	if err := asked.Start(); err != nil {
		t.Fatal(err)
	}
	w.Press(browser.Escape, "g", "l")
	w.See(".question", "May write_file run?")
	w.Script(nil, `document.querySelector('.card button').focus()`)
	shown := func() (text string) {
		w.Script(&text, `return document.querySelector('.card').textContent`)
		return text
	}
	first := shown()
	w.Await("another status", func() bool { return shown() != first })
	if tag, name, _ := w.Focused(); name != "Cancel" {
		t.Errorf("the focus is on %s %q", tag, name)
	}
	w.Press(browser.Enter)
	w.Gone(".card", "")
	w.See(".question", "No longer asked")
	_ = asked.Wait()
	if list := w.shelly("request", "list"); !strings.Contains(list, "cancelled") {
		t.Error(list)
	}
	w.clean()
}

// A request's view goes on with it: what is decided in it and elsewhere, the reply, and each step.
func TestCOM74TheViewOfARequestGoesOnWithIt(t *testing.T) {
	w := begin(t, slow)
	w.configured(unread)
	w.enter()
	for _, by := range []func(){
		func() { w.Click(".question button", "No") },
		func() { w.shelly("request", "deny", "--handle", "3") },
	} {
		w.ask("Please write.")
		w.See(".question button", "No")
		w.Press(browser.Escape, "g", "r")
		w.Click(".rows a", "Please write.")
		w.See(".steps li", "waiting_approval")
		w.See(".question button", "No")
		by()
		w.See("main .answer", "It is written.")
		w.See(".steps li", "the session was saved")
		w.Gone(".question button", "")
		w.Press("g", "c")
	}
	w.clean()
}

// A person who refuses a call can say why, for the model; the field closes again.
func TestAPR23ARefusalOnThePageHasAReason(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.ask("Please write.")
	w.Click(".question button", "No, because")
	if tag, name, _ := w.Focused(); name != "Why not" {
		t.Errorf("the focus is on %s %q; want the field for the reason", tag, name)
	}
	w.Click(".question button", "No, because")
	w.Gone(".question textarea", "")
	w.Click(".question button", "No, because")
	w.Type(".question textarea", "write to b.txt")
	w.Click(".question button", "Refuse")
	w.See(".question", "Refused.")
	w.See("main .answer", "It is written.")
	w.Press(browser.Escape, "g", "r")
	w.Click(".rows a", "Please write.")
	w.See(".steps li", "page denied the call")
	w.See(".steps li", "write to b.txt")
	w.clean()
}

// A reason is not lost if its field is closed and opened again, or if its question is answered
// elsewhere while it is written; what is still typed then goes into it.
func TestAPR23AReasonOnThePageIsNotLost(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.ask("Please write.")
	w.Click(".question button", "No, because")
	w.Type(".question textarea", "write to b.txt")
	w.Click(".question button", "No, because")
	w.Gone(".question textarea", "")
	w.Click(".question button", "No, because")
	w.shelly("request", "deny", "--by", "Ann", "--reason", "not on a\u202eFriday")
	w.See(".question.over", `Refused by Ann: not on a\u202eFriday`) // APR-24
	w.See(".question.over", "What you have written was not sent.")
	if tag, name, _ := w.Focused(); tag != "textarea" {
		t.Errorf("the focus is on %s %q; want the field", tag, name)
	}
	var kept string
	w.Script(&kept, `return document.querySelector('.question.over textarea').value`)
	if kept != "write to b.txt" {
		t.Errorf("kept is %q", kept)
	}
	w.See("main .answer", "It is written.")

	w.ask("Please write again.")
	w.Click(".question:not(.over) button", "No, because")
	w.Type(".question:not(.over) textarea", "write to c.txt")
	w.Click(".question:not(.over) .buttons button.no", "No")
	w.See(".question.over", "Refused.")
	if n := w.Count(".question.over textarea", ""); n != 1 {
		t.Errorf("%d texts are shown as not sent; want that of the first question", n)
	}
	w.Await("two answers", func() bool { return w.Count(".answer", "It is written.") == 2 })
	w.Press(browser.Escape, "g", "r")
	w.Click(".rows a", "Please write again.")
	w.See(".steps li", "write to c.txt")
	w.clean()
}

// The views that look at the status say how a question has ended, too, and keep what was being written.
func TestAPR24EachViewSaysHowAQuestionHasEnded(t *testing.T) {
	for name, open := range map[string]func(*world){ // order-free: each has its own daemon
		"live": func(w *world) { w.Press(browser.Escape, "g", "l") },
		"request": func(w *world) {
			w.Press(browser.Escape, "g", "r")
			w.Click(".rows a", "Please write.")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := begin(t, slow)
			w.enter()
			w.ask("Please write.")
			w.See(".question button", "No, because")
			open(w)
			w.Click("main .question button", "No, because")
			w.Type("main .question textarea", "write to b.txt")
			w.shelly("request", "deny", "--by", "Ann", "--reason", "not on a Friday")
			w.See("main .question.over", "Refused by Ann: not on a Friday")
			w.See("main .question.over", "What you have written was not sent.")
			if tag, field, _ := w.Focused(); tag != "textarea" {
				t.Errorf("the focus is on %s %q; want the field", tag, field)
			}
			w.clean()
		})
	}
}

// A reason that is being written stays when the chat is drawn again: by a new link after a kill, and
// by a reload.
func TestCOM73AReasonStaysWhenTheChatIsDrawnAgain(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.ask("Please write.")
	w.Click(".question button", "No, because")
	w.Type(".question textarea", "write to b.txt")
	reason := func(when string) {
		t.Helper()
		var now string
		w.See(".question button", "Refuse")
		w.Script(&now, `return document.querySelector('.question textarea')?.value ?? 'no field'`)
		if now != "write to b.txt" {
			t.Errorf("%s the reason is %q", when, now)
		}
	}
	w.kill(w.daemon)
	w.See(".status", "this page resumes")
	w.run()
	w.Go(w.shelly("page", "--no-open"))
	w.See(".status", "waiting for your decision")
	reason("after a kill")
	w.Reload()
	reason("after a reload")
	w.Click(".question button", "Refuse")
	w.See("main .answer", "It is written.")
	w.ask("Please write again.")
	w.Click(".question:not(.over) button", "No, because")
	if n := w.Count(".question:not(.over) textarea", ""); n != 1 {
		t.Errorf("%d fields", n)
	}
	w.Click(".question:not(.over) .buttons button.no", "No")
	w.Await("two answers", func() bool { return w.Count(".answer", "It is written.") == 2 })
}

// The live view keeps a few of the questions that were answered while it was open.
func TestCOM73AnsweredQuestionsDoNotPileUp(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Click("nav a", "Live")
	for range 5 {
		asked := exec.Command(w.bin, "ask", "--quiet", "Please write.", "--data", filepath.Join(w.dir, "data"))
		if err := asked.Start(); err != nil {
			t.Fatal(err)
		}
		w.Click(".question button", "No")
		if err := asked.Wait(); err != nil {
			t.Error(err)
		}
		w.See("section p", "Nothing runs.")
	}
	if n := w.Count(".question.over", ""); n != 3 {
		t.Errorf("%d are still shown", n)
	}
	w.clean()
}

// What was written for a question that was answered elsewhere stays in the live view, with the focus, when the
// cards of later questions come and go.
func TestCOM73WhatWasNotSentStaysWhenOtherCardsGo(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Click("nav a", "Live")
	for i := range 6 {
		asked := exec.Command(w.bin, "ask", "--quiet", "Please write.", "--data", filepath.Join(w.dir, "data"))
		if err := asked.Start(); err != nil {
			t.Fatal(err)
		}
		if i == 1 { // the card of the one before is the first that could go
			w.Click(".question button", "No, because")
			w.Type(".question textarea", "write to b.txt")
			w.shelly("request", "deny", "--by", "Ann")
			w.See(".question.over", "What you have written was not sent.")
			w.Press("?")
		} else {
			w.See(".question button", "No")
			w.shelly("request", "deny", "--by", "Ann")
		}
		if err := asked.Wait(); err != nil {
			t.Error(err)
		}
		w.See("section p", "Nothing runs.")
		w.Gone(".question button", "")
	}
	if n := w.Count(".question.over", ""); n != 3 {
		t.Errorf("%d cards are shown", n)
	}
	if n := w.Count(".question.over textarea", ""); n != 1 {
		t.Fatalf("%d texts are shown", n)
	}
	w.Press("!")
	var text string
	w.Script(&text, `return document.querySelector('.question.over textarea').value`)
	if text != "write to b.txt?!" {
		t.Errorf("the text is %q", text)
	}
	w.clean()
}

func TestCOM73WhatCannotBeDoneIsSaid(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Script(nil, `location.hash = '#/chat/' + 'x'.repeat(200)`)
	w.See(".note", "longer than 161 bytes")
	w.Press(browser.Escape, "g", "c")
	w.ask("Please write.")
	w.Click(".question button", "Always")
	w.See(".answer", "It is written.")
	w.Press(browser.Escape, "g", "t")
	w.See("button", "Revoke")
	w.kill(w.daemon)
	w.See(".health", "unreachable")
	w.Click("button", "Revoke")
	w.Click("button", "Really revoke it?")
	w.See(".note", "does not answer")
}

const resting = `scenario: 1
name: the summaries wait
config: {init: off}
brain_for: {summary: [{says: "They spoke.", takes: 300s, times: 20}]}
brain: [{says: "Good day.", times: 20}]
timeline: [{user: "Hello?"}]
expect: {replies: ["Good day."]}
`

// After many sessions there is much to remember, which nobody waits for.
func TestCOM73ManySummariesThatWaitAreCounted(t *testing.T) {
	w := begin(t, resting, "--delays")
	for i := range 6 {
		w.shelly("ask", "--session", fmt.Sprint("s", i), "Hello?")
	}
	w.enter()
	w.Script(nil, `location.hash = '#/live'`)
	w.See("[aria-label=Waiting] li:last-child", "more for the memory")
	var lines int
	if w.Script(&lines, "return document.querySelectorAll('[aria-label=Waiting] li').length"); lines != 4 {
		t.Errorf("%d lines, not 4", lines)
	}
}
