//go:build browser_e2e

package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/browser"
)

const calls = `scenario: 1
name: two tools
profile: default
tools: {read_file: [], write_file: []}
brain:
  - thinks: "The person wants the file changed. I read it first, and then I write it."
    says: "I read the notes, then I change them."
    calls: [{tool: read_file, args: {path: notes.txt}}]
  - calls: [{tool: write_file, args: {path: notes.txt, content: "one\nchanged\n"}}]
  - says: |
      # Done

      The file **notes.txt** has *two* lines now:

      1. one
      2. changed

      | line | text |
      | --- | --- |
      | 1 | one |
      | 2 | changed |

      ` + "```go\n      fmt.Println(\"changed\")\n      ```" + `

      See https://example.com/notes for more.
timeline:
  - {user: "change the notes"}
expect:
  replies: [""]
`

func TestCOM70ChatWithAToolCallAndAnApproval(t *testing.T) {
	w := begin(t, calls)
	w.enter()
	w.ask("Please change the notes.")
	w.See(".bubble", "Please change the notes.")
	w.See(".question", "May write_file run?")
	w.pictures("question")
	w.See(".question .minus", "-two")
	w.See(".question", "calls of write_file with the same path")
	w.Click(".question button", "Yes")
	w.See(".answer", "Done")
	w.See(".question", "Approved.")
	if n := w.Count(".answer", "Done"); n != 1 {
		t.Errorf("the answer stands %d times", n)
	}
	if data, err := os.ReadFile(filepath.Join(w.dir, "notes.txt")); err != nil || string(data) != "one\nchanged\n" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	w.pictures("chat")
	w.Reload()
	w.See(".answer", "Done")
	w.pictures("chat-reloaded")
	w.clean()
}

const quick = `scenario: 1
name: quick
profile: default
brain:
  - says: "Here you are."
timeline:
  - {user: "hello"}
expect:
  replies: [""]
`

// A request that begins and ends between two looks at the status is shown.
func TestCOM73WhatHasEndedElsewhereIsShown(t *testing.T) {
	w := begin(t, quick)
	w.enter()
	w.ask("First.")
	w.See(".answer", "Here you are.")
	for _, text := range []string{"Second, elsewhere.", "Third, elsewhere."} {
		w.shelly("ask", "--quiet", text)
	}
	w.See(".bubble", "Third, elsewhere.")
	w.ask("Fourth.")
	w.See(".bubble", "Fourth.")
	w.Gone(".status", "")
	var said string
	w.Script(&said, `return [...document.querySelectorAll('.bubble')].map((b) => b.textContent).join(' ')`)
	if said != "First. Second, elsewhere. Third, elsewhere. Fourth." {
		t.Errorf("said is %q", said)
	}
	if n := w.Count(".answer", "Here you are."); n != 4 {
		t.Errorf("%d answers are shown", n)
	}
	w.clean()
}

// A browser that blocks cookies has no storage either.
func TestCOM73ThePageWorksWhereNothingCanBeKept(t *testing.T) {
	w := begin(t, quick)
	w.Protocol("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": `Object.defineProperty(window, 'sessionStorage', {get() { throw new DOMException('denied', 'SecurityError'); }})`})
	w.enter()
	w.ask("Hello?")
	w.See(".answer", "Here you are.")
	w.Press(browser.Escape, "g", "s")
	w.See("h1", "Sessions")
	w.Press("g", "c")
	w.See(".bubble", "Hello?")
	w.clean()
}

func TestCOM73ASlashLeadsToTheFieldToWriteIn(t *testing.T) {
	w := begin(t, quick)
	w.enter()
	w.Press("/")
	if tag, name, _ := w.Focused(); name != "What to ask" {
		t.Errorf("the focus is on %s %q", tag, name)
	}
}

// While a person writes, the model reads what the question comes after (HND-72), and not twice.
func TestCOM111WhatIsWrittenOnThePageIsTold(t *testing.T) {
	w := begin(t, quick)
	w.enter()
	w.Type("#ask", "Hello?")
	runs := func() int { // none is an error
		out, _ := exec.Command(w.bin, "request", "list", "--all", "--data", filepath.Join(w.dir, "data")).Output()
		return strings.Count(string(out), "conversation ahead")
	}
	w.Await("the reading", func() bool { return runs() > 0 })
	w.Press(browser.Enter)
	w.See(".answer", "Here you are.")
	if n := runs(); n != 1 {
		t.Errorf("it was read %d times", n)
	}
	w.clean()
}

// A paragraph that is written from right to left begins at the right, whatever the language of the page.
func TestCOM73AParagraphHasTheDirectionOfItsText(t *testing.T) {
	w := begin(t, `scenario: 1
name: right to left
profile: default
brain:
  - says: "שלום עולם.\n\nGood night."
timeline:
  - {user: "hello"}
expect:
  replies: [""]
`)
	w.enter()
	w.ask("ערב טוב.")
	w.See(".answer", "Good night.")
	var first, last float64
	for _, css := range []string{".bubble", ".answer p"} {
		const place = `const text = document.querySelector(arguments[0]).firstChild, r = document.createRange();
			const i = arguments[1] ? text.length - 1 : 0;
			r.setStart(text, i);
			r.setEnd(text, i + 1);
			return r.getBoundingClientRect().left`
		w.Script(&first, place, css, false)
		w.Script(&last, place, css, true)
		if last >= first {
			t.Errorf("%s: the full stop is at %g, the first letter at %g", css, last, first)
		}
	}
}

func TestCOM73ASchemeWithoutAnAddressIsText(t *testing.T) {
	w := begin(t, `scenario: 1
name: schemes
profile: default
brain:
  - says: "Begin it with http:// or https://"
timeline:
  - {user: "how"}
expect:
  replies: [""]
`)
	w.enter()
	w.ask("How?")
	w.See(".answer:not(.streaming)", "Begin it with http:// or https://")
	w.Gone(".status", "")
	w.Reload()
	w.See(".answer", "Begin it with http:// or https://")
	w.clean()
}
