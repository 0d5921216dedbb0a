//go:build browser_e2e

package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/browser"
)

const slow = `scenario: 1
name: slow answers
profile: default
tools: {exec: [], write_file: []}
brain:
  - calls: [{tool: write_file, args: {path: notes.txt, content: "one\nchanged\n"}}]
  - says: "It is written."
timeline:
  - {user: "write"}
expect:
  replies: [""]
`

func TestCOM73AReloadInTheMiddleComesBackToTheQuestion(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.ask("Please write.")
	w.See(".question", "May write_file run?")
	w.Reload()
	w.See(".bubble", "Please write.")
	w.See(".question", "May write_file run?")
	if n := w.Count(".question", ""); n != 1 {
		t.Errorf("%d questions are shown", n)
	}
	w.Click(".question button", "No")
	w.See(".answer", "It is written.")
	w.See(".question", "Refused.")
	if data, err := os.ReadFile(filepath.Join(w.dir, "notes.txt")); err != nil || string(data) != "one\ntwo\n" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	w.Reload() // what is kept of a session does not say whether a call ran
	w.See(".answer", "It is written.")
	w.See(".tool", "ended")
	if n := w.Count(".tool", "done"); n != 0 {
		t.Error("a refused call is said to be done")
	}
	w.clean()
}

func TestCOM73CancelEndsARequest(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.ask("Please write.")
	w.See(".question", "May write_file run?")
	w.ask("And something else.")
	w.See(".status", "waiting for its turn")
	w.pictures("queued")
	w.Press(browser.Escape, "g", "l")
	w.See(".node.here", "waiting approval")
	w.See(".node.here", "queued")
	w.pictures("live-busy")
	w.pictures("live-graph", ".graph")
	w.Press("g", "c")
	w.See(".status", "waiting for its turn")
	w.Click(".status button", "Cancel")
	w.See(".question", "No longer asked")
	w.See(".question", "May write_file run?") // the other's turn has come
	w.Click(".status button", "Cancel")
	w.Gone(".status", "")
	if n := w.Count(".answer", "cancelled"); n != 2 {
		t.Errorf("%d are cancelled", n)
	}
	w.clean()
}

// A request sent while the daemon is away is delivered once shelly is back, and only once. A
// new link lets the page in again, and then it shows everything.
func TestCOM73AKilledDaemonIsReportedAndNothingIsLost(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.ask("Please write.")
	w.See(".question", "May write_file run?")
	w.kill(w.daemon)
	w.See(".health", "unreachable")
	w.See(".banner", "shelly run")
	w.See(".status", "this page resumes")
	w.pictures("unreachable")
	w.ask("Written while nobody answers.")
	w.See(".turn .status", "not sent yet")
	w.run()
	w.See(".banner", "shelly page")
	w.See(".health", "not let in")
	w.pictures("locked")
	w.Go(w.shelly("page", "--no-open")) // into the same page
	w.See(".question", "May write_file run?")
	w.Click(".question button", "Yes")
	w.See(".answer", "It is written.")
	w.Click(".question button", "No")
	w.Gone(".status", "")
	for _, text := range []string{"Please write.", "Written while nobody answers."} {
		if n := w.Count(".bubble", text); n != 1 {
			t.Errorf("%q stands %d times", text, n)
		}
		if n := strings.Count(w.shelly("request", "list"), text); n != 1 {
			t.Errorf("%q was asked %d times", text, n)
		}
	}
}

// A tab that still has the key of an earlier daemon, which is refused while the link brings
// another, keeps the new one.
func TestCOM71ALinkLetsATabInThatHasAnOldKey(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Go("about:blank")
	w.kill(w.daemon)
	w.run()
	w.enter()
}

// The address does not answer for a while, and the process stays the same: the page recovers by
// itself.
func TestCOM73APauseOfTheDaemonIsSurvived(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Protocol("Network.enable", nil)
	w.Protocol("Network.emulateNetworkConditions", map[string]any{"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
	w.See(".health", "unreachable")
	w.ask("Please write.")
	w.See(".turn .status", "not sent yet")
	w.shelly("schedule", "add", "say hello", "--every", "1h")
	w.Protocol("Network.emulateNetworkConditions", map[string]any{"offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
	w.See(".question", "May write_file run?")
	w.See(".health", "running")
	if n := strings.Count(w.shelly("request", "list"), "Please write."); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
	w.Click(".question button", "Yes")
	w.See(".answer", "It is written.")
}

// The turns of a long chat scroll between the page's head and the field to write in; the page
// itself is no higher than the window.
func TestCOM73OnlyTheTurnsOfAChatScroll(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Look(390, 500, false)
	for range 4 {
		w.ask("Please write.")
		w.Click(".question button", "No")
	}
	w.Gone(".status", "")
	var turns, page int
	w.Script(&turns, "const e = document.querySelector('.scroll'); return e.scrollHeight - e.clientHeight")
	w.Script(&page, "const e = document.documentElement; return e.scrollHeight - e.clientHeight")
	if turns <= 0 || page > 0 {
		t.Errorf("the turns are %d pixels higher than their window, and the page %d pixels", turns, page)
	}
}

func TestCOM73AnImageIsSentAndShown(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	// The smallest picture: one pixel.
	file := filepath.Join(w.dir, "point.png")
	point := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82")
	if err := os.WriteFile(file, point, 0o600); err != nil {
		t.Fatal(err)
	}
	w.Type("#file", file)
	w.See(".chosen", "")
	w.pictures("image")
	w.ask("What is this?")
	w.See(".said .images img", "")
	w.Click(".question button", "No")
	w.See(".answer", "It is written.")
	w.Reload()
	w.See(".bubble", "[image]") // of which a session's record has the mark alone
	w.clean()
}

// A request made elsewhere in the same session, and a schedule's answer, appear while the page
// is open.
func TestCOM73WhatComesFromElsewhereIsShown(t *testing.T) {
	w := begin(t, `scenario: 1
name: elsewhere
profile: default
tools: {exec: []}
brain:
  - calls: [{tool: exec, args: {command: "for i in 1 2 3; do echo line $i; sleep 0.3; done"}}]
  - says: "All lines are there."
timeline:
  - {user: "run"}
expect:
  replies: [""]
`)
	w.shelly("schedule", "add", "say hello", "--every", "1h")
	w.enter()
	asked := exec.Command(w.bin, "ask", "--quiet", "From a terminal.", "--data", filepath.Join(w.dir, "data"))
	if err := asked.Start(); err != nil {
		t.Fatal(err)
	}
	w.See(".bubble", "From a terminal.")
	w.See(".question", "May exec run?")
	w.Click(".question button", "Yes")
	w.See(".live", "line 2")
	w.pictures("output")
	w.See(".answer", "All lines are there.")
	if err := asked.Wait(); err != nil {
		t.Error(err)
	}
	w.shelly("schedule", "run", "s1")
	w.See(".message", "Schedule s1")
	w.pictures("message")
	w.Await("end of what is unread", func() bool { return !strings.Contains(w.shelly("status", "--json"), `"unread"`) })
	w.Click("nav a", "Messages")
	w.See(".message", "Schedule s1")
	w.clean()
}

// The page shows what a slow model waits for, thinks and writes, as it comes.
func TestCOM73AnAnswerStreams(t *testing.T) {
	w := begin(t, `scenario: 1
name: streams
profile: default
server: {reads: 400/s, writes: 12/s, window: 8192}
brain:
  - thinks: "Let me see."
    says: "One. Two. Three. Four. Five. Six. Seven. Eight. Nine. Ten. And this is the end of it."
timeline:
  - {user: "count"}
expect:
  replies: [""]
`)
	w.enter()
	w.ask("Count to ten.")
	w.See(".status", "reading")
	w.See(".thinking", "")
	w.See(".streaming", "One.")
	w.pictures("streaming")
	w.See(".answer:not(.streaming)", "And this is the end of it.")
	w.Gone(".status", "")
	w.clean()
}

// Who goes up a little to read stays there while the answer grows, and is taken along again at the end.
func TestCOM73WhoReadsIsNotTakenToTheEndOfAnAnswer(t *testing.T) {
	var words []string
	for n := range 300 {
		words = append(words, fmt.Sprintf("w%03d", n))
	}
	w := begin(t, fmt.Sprintf(`scenario: 1
name: a long answer
profile: default
server: {reads: 10000/s, writes: 250/s, window: 8192}
brain: [{says: %q}]
timeline: [{user: "count"}]
expect: {replies: [""]}
`, strings.Join(words, "\n\n")))
	w.enter()
	w.Look(390, 500, false)
	w.ask("Count.")
	fromEnd := func(by int) (n float64) {
		w.Script(&n, `const s = document.querySelector('.scroll'); s.scrollTop += arguments[0]; return s.scrollHeight - s.scrollTop - s.clientHeight`, by)
		return n
	}
	w.See(".streaming", "w040")
	for range 3 {
		fromEnd(-20) // a turn of a wheel comes in pieces
		w.Script(nil, `return new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))`)
	}
	w.See(".streaming", "w080")
	if far := fromEnd(0); far < 300 {
		t.Errorf("the person who reads is %v pixels from the end", far)
	}
	fromEnd(100000)
	w.See(".answer:not(.streaming)", "w299")
	w.Await("the end in view", func() bool { return fromEnd(0) < 2 })
	w.Look(390, 350, false)
	w.Await("the end in view", func() bool { return fromEnd(0) < 2 })
	w.clean()
}

// walk presses Tab until the focus is where it should be, and checks that it is visible all the
// way.
func (w *world) walk(name string) {
	w.t.Helper()
	for range 60 {
		tag, here, seen := w.Focused()
		if !seen && tag != "body" {
			w.t.Errorf("one does not see that %s %q has the focus", tag, here)
		}
		if strings.HasPrefix(here, name) {
			return
		}
		w.Press(browser.Tab)
	}
	w.t.Fatalf("Tab does not lead to %q", name)
}

func TestCOM73TheKeyboardAloneIsEnough(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Press(browser.Tab)
	w.walk("Skip to the content")
	w.walk("What to ask")
	w.Press("Please write.", browser.Enter)
	w.See(".question", "May write_file run?")
	w.Press(browser.Escape)
	w.Press("?")
	w.See("dialog", "Keyboard shortcuts")
	w.pictures("shortcuts")
	w.Press(browser.Escape)
	w.Gone("dialog", "")
	w.Press(browser.Tab)
	w.walk("Yes")
	w.Press(browser.Enter)
	w.See(".answer", "It is written.")
	w.Press("g", "r")
	w.See("h1", "Requests")
	w.Press(browser.Tab)
	w.walk("Please write.")
	w.Press(browser.Enter)
	w.See(".steps", "write_file returned")
	w.walk("2 ") // a step
	w.Press(browser.Enter)
	w.See(".steps .label", "Transitions")
	w.Press("g", "s")
	w.See("h1", "Sessions")
	w.Press("/")
	w.Press("written", browser.Enter)
	w.See(".rows", "It is written.")
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

// However many questions wait in a session, a connection is left for a decision.
func TestCOM73ManyQuestionsLeaveAConnectionForADecision(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	for n := range 8 {
		w.ask(fmt.Sprint("Please write ", n))
	}
	w.See(".turn", "Please write 7")
	w.See(".status", "waits for its turn")
	w.Click(".question button", "Yes")
	w.See(".answer", "It is written.")
	w.clean()
}

// Windows that are seen beside each other share the connections too: a question is shown in both,
// answered in one, and the other says so.
func TestCOM73TwoWindowsLeaveAConnectionForADecision(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Script(nil, `window.other = window.open(location.href, '_blank', 'popup,width=600,height=700')`)
	otherHas := func(css, what string) (n int) {
		w.Script(&n, `return [...(window.other.document?.querySelectorAll(arguments[0]) || [])].filter((e) => !e.hidden && e.textContent.includes(arguments[1])).length`, css, what)
		return n
	}
	other := func(what string) int { return otherHas(".turn", what) }
	for n := range 4 {
		w.ask(fmt.Sprint("Please write ", n))
	}
	for n := range 4 {
		w.Await("the question in both", func() bool {
			return other("May write_file run?") == 1 && w.Count(".question", "May write_file run?") == 1
		})
		w.Click(".question button", "Yes")
		w.Await("the answer in both", func() bool { return w.Count(".answer", "It is written.") == n+1 && other("It is written.") == n+1 })
	}
	if here, there := w.Count(".question", ""), otherHas(".question", ""); here != 4 || there != 4 {
		t.Errorf("of 4 questions one window shows %d, the other %d", here, there)
	}
	w.clean()
}

// With as many unfinished requests as a browser can follow, what a further one asks is shown at once.
func TestCOM73AQuestionIsShownOfARequestThatIsNotFollowed(t *testing.T) {
	w := begin(t, strings.Replace(slow, "profile: default", "profile: default\nserver: {reads: 1000/s, writes: 5/s}", 1))
	w.kill(w.daemon)
	if err := os.WriteFile(filepath.Join(w.dir, "config.yaml"), []byte(config+"limits: {max_crashes: 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.run()
	w.enter()
	for n := range 3 {
		w.ask(fmt.Sprint("Please crash ", n))
		w.Await("the model at work", func() bool { return w.Count(".status", "reading")+w.Count(".status", "the model answers") > 0 })
		w.kill(w.daemon)
		w.run()
		w.enter()
		w.Await("another question", func() bool { return w.Count(".question", "Resume it?") == n+1 })
	}
	w.ask("Please write.")
	w.See(".question", "May write_file run?")
	w.Click(".question button", "Yes")
	w.See(".answer", "It is written.")
	if n := w.Count(".question", "Resume it?"); n != 3 {
		t.Errorf("%d questions are still shown", n)
	}
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

func TestCOM73ImagesThatAreLeftOutAreSaid(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	var files []string
	for n := range 17 {
		files = append(files, filepath.Join(w.dir, fmt.Sprintf("point%d.png", n)))
		if err := os.WriteFile(files[n], []byte("a picture"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.Type("#file", strings.Join(files, "\n"))
	w.See(".composer .note", "A request takes 16 images; the others are left out.")
	if n := w.Count(".chosen", ""); n != 16 {
		t.Errorf("%d images are chosen", n)
	}
}

func TestCOM73TablesAndLinksBeginWhereTheyAreWritten(t *testing.T) {
	w := begin(t, `scenario: 1
name: tables and links
profile: default
brain:
  - says: |
      These are the files:
      | file | lines |
      | --- | --- |
      | notes.txt | 2 |
      | `+"`a \\| b`"+` | 3 |

      See https://example.com/a_(b) and https://example.com/c。
      ***both*** and **bold *em*** and *em **bold** em*.
      - [ ] see [1] and [the notes](https://example.com/notes)
      - a &lt;b&gt; &#x2265; c &rlm; &none; \&amp; `+"`&lt;`"+`
timeline:
  - {user: "list"}
expect:
  replies: [""]
`)
	w.enter()
	w.ask("List the files.")
	w.See(".answer:not(.streaming) td", "notes.txt")
	w.See(".answer p", "These are the files:")
	var text string
	w.Script(&text, `return [...document.querySelectorAll('.answer:not(.streaming) a')].map((a) => a.textContent).join(' ')`)
	if text != "https://example.com/a_(b) https://example.com/c the notes" {
		t.Errorf("the links are %q", text)
	}
	w.Script(&text, `return [...document.querySelectorAll('.answer:not(.streaming) td')].map((c) => c.textContent).join(' / ')`)
	if text != "notes.txt / 2 / a | b / 3" {
		t.Errorf("the cells are %q", text)
	}
	w.Script(&text, `return [...document.querySelectorAll('.answer:not(.streaming) :is(em, strong)')].map((e) => e.tagName + ' ' + e.textContent).join(', ')`)
	if text != "STRONG both, EM both, STRONG bold em, EM em, EM em bold em, STRONG bold" {
		t.Errorf("the emphases are %q", text)
	}
	w.Script(&text, `return document.querySelector('.answer:not(.streaming) li:last-child').textContent`)
	if text != "a <b> ≥ c &rlm; &none; &amp; &lt;" {
		t.Errorf("the references are shown as %q", text)
	}
	w.clean()
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

// What takes the focus is not under the page's head.
func TestCOM73TheFocusIsNotCovered(t *testing.T) {
	w := begin(t, quick)
	w.enter()
	w.ask("Hello.")
	w.See(".answer", "Here you are.")
	w.Press(browser.Escape, "g", "r")
	w.Click(".rows a", "Hello.")
	w.See(".steps li", "it was accepted")
	w.Look(390, 300, false)
	var top, head int
	w.Script(&top, `const a = document.querySelector('main a'); scrollTo(0, a.getBoundingClientRect().top - 5); a.focus(); return Math.round(a.getBoundingClientRect().top)`)
	w.Script(&head, `return Math.round(document.querySelector('.top').getBoundingClientRect().bottom)`)
	if top < head {
		t.Errorf("the focus is at %d pixels, the page's head ends at %d", top, head)
	}
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

func TestCOM73WhatCannotBeDoneIsSaid(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Script(nil, `location.hash = '#/chat/' + 'x'.repeat(200)`)
	w.See(".note", "longer than 128 bytes")
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

// hostile is markup that would act anywhere if it were not treated as text.
const hostile = `<img src=x onerror=alert(1)><script>document.title="owned"</script>"'><svg onload=alert(2)><a href="javascript:alert(3)">x</a>[y](javascript:alert(4))![z](http://127.0.0.1:9/z.png)<style>*{display:none}</style>&lt;b&gt;`

func TestCOM73MarkupIsTextInEveryField(t *testing.T) {
	quoted := fmt.Sprintf("%q", hostile)
	w := begin(t, `scenario: 1
name: hostile
profile: default
tools: {write_file: [], message: [], no_such: []}
brain:
  - thinks: `+quoted+`
    says: `+quoted+`
    calls: [{tool: write_file, args: {path: "<b>a.txt", content: `+quoted+`}}]
  - calls: [{tool: message, args: {content: `+quoted+`}}]
  - calls: [{tool: `+quoted+`, args: {`+quoted+`: `+quoted+`}}]
  - says: `+quoted+`
timeline:
  - {user: "go"}
expect:
  replies: [""]
`)
	w.shelly("schedule", "add", hostile, "--every", "1h")
	w.shelly("memory", "add", hostile)
	w.enter()
	w.Go("about:blank")
	w.Go(w.shelly("page", "--no-open"))
	w.See(".health", "running")
	w.Script(nil, `location.hash = '#/chat/' + encodeURIComponent(arguments[0].slice(0, 60))`, hostile)
	w.See("#ask", "")
	w.Await("session's name", func() bool {
		var name string
		w.Script(&name, `return document.querySelector('.pick')?.value || ''`)
		return name == hostile[:60]
	})
	w.ask(hostile)
	w.See(".question", "May write_file run?")
	w.pictures("hostile-question")
	w.Click(".question button", "Always")
	w.See(".answer", "<img src=x onerror=alert(1)>")
	w.Gone(".status", "")
	w.pictures("hostile-chat")
	for _, view := range []string{"messages", "live", "requests", "sessions", "memory", "schedules", "status"} {
		w.Press(browser.Escape)
		w.Script(nil, `location.hash = '#/' + arguments[0]`, view)
		w.See("h1", strings.ToUpper(view[:1])+view[1:])
		if view != "live" && view != "status" {
			w.See("main", "<img src=x")
		}
		w.harmless(view)
		w.pictures("hostile-" + view)
	}
	w.Script(nil, `location.hash = '#/requests'`)
	w.Click(".rows a.title", "<img")
	w.See(".steps", "<img")
	w.Script(nil, `document.querySelectorAll('.steps > li > details').forEach((d) => d.open = true)`)
	w.See(".steps .label", "Transitions")
	w.harmless("request")
	w.pictures("hostile-request")
	w.Script(nil, `location.hash = '#/sessions/' + encodeURIComponent(arguments[0].slice(0, 60))`, hostile)
	w.See(".log .bubble", "<img")
	w.harmless("session")
}

// harmless checks that no markup has become an element, a URL or a running script.
func (w *world) harmless(view string) {
	w.t.Helper()
	var found []string
	w.Script(&found, `
		const bad = [...document.querySelectorAll('main img[src="x"], main script, main svg[onload], main style, main iframe, main b, main a')].filter((e) => e.tagName !== 'A' || !(e.getAttribute('href') || '').match(/^(#|https?:)/));
		const on = [...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on') || a.name === 'style' && e.tagName !== 'TEXTAREA'));
		const out = [...document.querySelectorAll('[src]')].filter((e) => !/^(data:|icon\.svg$|app\.js$)/.test(e.getAttribute('src')));
		return [...bad, ...on, ...out].map((e) => e.outerHTML.slice(0, 200)).concat(document.title.includes('owned') ? ['title'] : [])`)
	for _, f := range found {
		w.t.Errorf("%s: %s", view, f)
	}
	w.clean()
}

// The daemon is killed in the middle of an answer, and earlier in the middle of a question. The
// page continues where it was: the answer appears once.
func TestCOM73AKillInTheMiddleOfAnAnswerIsGoneOnWith(t *testing.T) {
	var words []string
	for n := range 60 {
		words = append(words, fmt.Sprintf("w%03d", n))
	}
	writes := strings.Replace(slow, "profile: default", "profile: default\nserver: {reads: 10000/s, writes: 15/s}", 1)
	w := begin(t, strings.Replace(writes, "It is written.", strings.Join(words, " "), 1))
	w.enter()
	w.ask("Please write.")
	w.See(".question", "May write_file run?")
	w.kill(w.daemon)
	w.See(".status", "this page resumes")
	w.run()
	w.Go(w.shelly("page", "--no-open"))
	w.See(".status", "waiting for your decision")
	if n := w.Count(".question", "May write_file run?"); n != 1 {
		t.Errorf("%d questions are shown", n)
	}
	w.Click(".question button", "Yes")
	w.See(".answer", "w003")
	w.kill(w.daemon)
	w.See(".status", "this page resumes")
	w.run()
	w.Go(w.shelly("page", "--no-open"))
	w.See(".answer", "w059")
	w.Gone(".status", "")
	if n := w.Count(".answer", "w000"); n != 1 {
		t.Errorf("the answer stands %d times", n)
	}
	if n := w.Count(".tool", "write_file"); n != 1 {
		t.Errorf("%d calls are shown", n)
	}
}
