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

// longChat shows a chat that is longer than its small window, with nothing under way.
func longChat(t *testing.T) *world {
	t.Helper()
	w := begin(t, slow)
	w.enter()
	w.Look(390, 500, false)
	for range 4 {
		w.ask("Please write.")
		w.Click(".question button", "No")
	}
	w.Gone(".status", "")
	return w
}

// The turns of a long chat scroll between the page's head and the field to write in; the page
// itself is no higher than the window.
func TestCOM73OnlyTheTurnsOfAChatScroll(t *testing.T) {
	w := longChat(t)
	var turns, page int
	w.Script(&turns, "const e = document.querySelector('.scroll'); return e.scrollHeight - e.clientHeight")
	w.Script(&page, "const e = document.documentElement; return e.scrollHeight - e.clientHeight")
	if turns <= 0 || page > 0 {
		t.Errorf("the turns are %d pixels higher than their window, and the page %d pixels", turns, page)
	}
}

// A person who reads does not lose their place when the page says that shelly is away.
func TestCOM101WhatIsReadStaysInViewWhenShellyIsAway(t *testing.T) {
	w := longChat(t)
	// below is how far the last line is below the turns' window, and page how far the page is below its own.
	const places = `const e = document.querySelector('.scroll'); return {below: Math.round(e.scrollHeight - e.scrollTop - e.clientHeight), page: document.documentElement.scrollHeight - innerHeight}`
	var at struct{ Below, Page int }
	end := func() bool {
		w.Script(&at, places)
		return at.Below <= 1 && at.Page <= 0
	}
	w.Await("the end of the chat is in view", end)
	w.kill(w.daemon)
	w.See(".banner", "shelly run")
	w.Await("the end of the chat is in view while shelly is away", end)
	var top int
	w.Script(nil, "document.querySelector('.scroll').scrollTop = 40")
	w.run()
	w.See(".banner", "shelly page")
	if w.Script(&top, "return document.querySelector('.scroll').scrollTop"); top != 40 {
		t.Errorf("a person who reads at 40 is at %d after a start of shelly", top)
	}
}

// In a low window, too, only the turns scroll, and the list of views by itself: each view can be reached.
func TestCOM101ALowWindowIsNoHigherThanItself(t *testing.T) {
	w := longChat(t)
	for _, size := range [][2]int{{812, 330}, {1280, 250}, {320, 256}} {
		w.Look(size[0], size[1], false)
		over := -1
		w.Script(&over, `return document.documentElement.scrollHeight - innerHeight`)
		if over > 0 {
			t.Errorf("at %d by %d the page is %d pixels higher than the window", size[0], size[1], over)
		}
		if size[0] < 400 {
			w.Click("#menu", "")
		}
		w.Click("nav a", "Status")
		w.See("h1", "Status")
		if size[0] < 400 {
			w.Click("#menu", "")
		}
		w.Click("nav a", "Chat")
		w.See("#ask", "")
	}
}

func TestCOM102AFullDiskIsToldInEachView(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Script(nil, `window.real = window.fetch;
		window.fetch = async (path, options) => {
			const answer = await window.real(path, options);
			return path === '/v1/status' ? new Response(JSON.stringify({...(await answer.json()), no_space: 'too little free disk space'})) : answer;
		};`)
	w.See(".health", "disk full")
	w.See(".banner", "too little free disk space")
	w.pictures("full")
	w.Press(browser.Escape, "g", "r")
	w.See("h1", "Requests")
	w.See(".banner", "too little free disk space")
	w.Script(nil, "window.fetch = window.real")
	w.See(".health", "running")
	w.Gone(".banner", "too little free disk space")
	w.clean()
}

// A page that asked again at once sent hundreds of requests a second, to a daemon with a full disk.
func TestCOM103MessagesThatCannotBeMarkedAreMarkedLater(t *testing.T) {
	w := begin(t, `scenario: 1
name: a message
profile: default
tools: {exec: []}
brain:
  - says: "It is time."
timeline:
  - {user: "run"}
expect:
  replies: [""]
`)
	w.shelly("schedule", "add", "say the time", "--every", "1h")
	w.enter()
	w.Script(nil, `window.real = window.fetch;
		window.asked = {marks: 0, looks: 0};
		window.fetch = (path, options) => {
			if (path === '/v1/status') window.asked.looks++;
			if (path !== '/v1/messages/read') return window.real(path, options);
			window.asked.marks++;
			return Promise.resolve(new Response('{"error": {"code": "no_space", "message": "the disk is full"}}', {status: 507}));
		};`)
	w.shelly("schedule", "run", "s1")
	w.See(".message", "It is time.")
	for _, view := range []string{"c", "m"} {
		w.Press(browser.Escape, "g", view)
		w.See(".message", "It is time.")
		w.Script(nil, "window.asked = {marks: 0, looks: 0}")
		var asked struct{ Marks, Looks int }
		w.Await("the page looks and marks a few times", func() bool {
			w.Script(&asked, "return window.asked")
			return asked.Marks > 1 && asked.Looks > 2
		})
		if asked.Marks > 2*asked.Looks {
			t.Errorf("view %s: %d attempts to mark a message in the time of %d looks at the status", view, asked.Marks, asked.Looks)
		}
	}
	w.Script(nil, "window.fetch = window.real")
	w.Await("the message is read", func() bool { return !strings.Contains(w.shelly("status"), "unread") })
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
		w.t.Errorf("%s: got %s; want no such element or attribute", view, f)
	}
	w.clean()
}

func TestCOM73AnAnswerAndItsCodeCanBeCopied(t *testing.T) {
	w := begin(t, `scenario: 1
name: code
profile: default
brain:
  - says: "Run **this**:\n\n~~~sh\nls -l\ndf\n~~~"
timeline:
  - {user: "how"}
expect:
  replies: [""]
`)
	w.Protocol("Browser.grantPermissions", map[string]any{"permissions": []string{"clipboardReadWrite", "clipboardSanitizedWrite"}})
	w.enter()
	w.ask("How?")
	w.See(".answer:not(.streaming)", "ls -l")
	for range 2 {
		for css, want := range map[string]string{".block .copy": "ls -l\ndf", ".did > .copy": "Run **this**:\n\n~~~sh\nls -l\ndf\n~~~"} {
			w.Gone(".copy", "Copied")
			w.Click(css, "Copy")
			w.See(css, "Copied")
			var got string
			if w.Script(&got, `return navigator.clipboard.readText()`); got != want {
				t.Errorf("%s copies %q, want %q", css, got, want)
			}
		}
		w.Reload()
		w.See(".answer", "ls -l")
	}
	w.clean()
}

// A wide head above many short rows is a short text, and not a table of its square.
func TestCOM73ATableGrowsNoFasterThanItsText(t *testing.T) {
	w := begin(t, quick)
	w.enter()
	var made struct{ Text, Cells, Padded int }
	w.Await("the table", func() bool {
		w.Script(&made, `
			if (!window.begun) {
				window.begun = import('./text.js').then(({markdown}) => {
					const cells = (text) => markdown(text).reduce((n, e) => n + e.querySelectorAll('th, td').length, 0);
					const text = '|' + 'a|'.repeat(1000) + '\n|' + '-|'.repeat(1000) + '\n' + '|x|\n'.repeat(1000);
					window.made = {Text: text.length, Cells: cells(text), Padded: cells('|a|b|c|\n|-|-|-|\n|x|\n')};
				});
			}
			return window.made || {Text: 0}`)
		return made.Text > 0
	})
	if made.Cells > made.Text || made.Padded != 6 {
		t.Errorf("a text of %d characters has become %d cells, and a short row is one of a table of %d; want at most as many, and 6", made.Text, made.Cells, made.Padded)
	}
	w.clean()
}
