//go:build browser_e2e

package page

import (
	"testing"

	"shelly/cmd/shelly/internal/browser"
)

// focus gives the focus to the nth element of a selector with a text.
func (w *world) focus(css, text string, nth int) {
	w.t.Helper()
	w.See(css, text)
	w.Script(nil, `[...document.querySelectorAll(arguments[0])].filter((e) => e.textContent === arguments[1])[arguments[2]].focus()`, css, text, nth)
}

// at checks what has the focus: its place among its siblings, and the text it begins with.
func (w *world) at(when, tag string, row int, name string) {
	w.t.Helper()
	var on struct {
		Tag, Name string
		Row       int
	}
	w.Script(&on, `const e = document.activeElement, r = e.closest('li');
		return {Tag: e.tagName.toLowerCase(), Name: e.textContent.slice(0, arguments[0]), Row: r ? [...r.parentElement.children].indexOf(r) : -1}`, len(name))
	if on.Tag != tag || on.Name != name || on.Row != row {
		w.t.Errorf("%s the focus is on %s %q in row %d; want %s %q in row %d", when, on.Tag, on.Name, on.Row, tag, name, row)
	}
}

// What is drawn again hands the focus to its successor; what goes hands it to what it was in.
func TestCOM106TheFocusStays(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	for _, text := range []string{"say one", "say two", "say three"} {
		w.shelly("schedule", "add", text, "--every", "1h")
	}
	w.shelly("memory", "add", "one thing")
	w.shelly("memory", "add", "two things")

	w.ask("Please write.")
	w.focus(".question button", "For this session", 0)
	w.Press(browser.Enter)
	w.See(".question.over", "Approved for this session.")
	w.at("after an answer", "section", -1, "Asked about write_file.")
	w.See(".answer", "It is written.")
	w.at("after the reply", "section", -1, "Asked about write_file.")

	w.Press("g", "d")
	w.focus("main button", "Pause", 1)
	w.Press(browser.Enter)
	w.See("button", "Resume")
	w.at("after a pause", "button", 1, "Resume")
	w.Press(browser.Enter)
	w.Gone("button", "Resume")
	w.at("after a resumption", "button", 1, "Pause")
	w.shelly("schedule", "remove", "s1")
	w.Gone("main .rows", "say one")
	w.at("after a change elsewhere", "button", 0, "Pause")
	w.focus("main button", "Remove", 0)
	w.Press(browser.Enter, browser.Enter)
	w.Gone("main .rows", "say two")
	w.at("after the row went", "div", -1, "say three")

	w.Press("g", "y")
	w.focus("main button", "Forget", 0)
	w.Press(browser.Enter, browser.Enter)
	w.See("main .rows", "Forgotten, for good.")
	w.at("after an entry is forgotten", "li", 0, "Forgotten")

	w.Press("g", "t")
	w.focus("main button", "Revoke", 0)
	w.Press(browser.Enter, browser.Enter)
	w.See("main", "None. When shelly asks")
	w.at("after a revocation", "div", -1, "None.")
	w.clean()
}

// The focus goes from a question that is asked no longer to no other question's answer, and what acts keeps it.
func TestCOM106NoAnswerIsHandedToAnotherQuestion(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.ask("Please write.")
	w.focus(".question button", "Yes", 0)
	w.Script(nil, `const q = document.querySelector('.question'); q.before(q.cloneNode(true)); q.remove()`)
	if tag, _, _ := w.Focused(); tag != "div" {
		t.Errorf("the focus is on %s", tag)
	}
	w.Reload()
	w.focus(".status button", "Cancel", 0)
	w.Press(browser.Enter)
	w.See(".question.over", "")
	w.Gone(".status button", "")
	w.at("after a cancel", "article", -1, "You")
	w.clean()
}

const waiting = `scenario: 1
name: a model that thinks for long
profile: default
brain: [{says: "At last.", takes: 300s}]
timeline: [{user: "Hello?"}]
expect: {replies: ["At last."]}
`

// Whoever does not see the page hears once what an answer waits for, and how it has ended.
func TestCOM108WhatAnAnswerWaitsForIsReadAloud(t *testing.T) {
	w := begin(t, waiting, "--delays")
	w.configured(unread)
	w.enter()
	w.ask("Hello?")
	w.See("#polite", "tokens")
	if n := w.Count("#polite p", "tokens"); n != 1 {
		t.Errorf("it was said %d times", n)
	}
	w.Click(".status button", "Cancel")
	w.See("#polite", "could not answer")
	w.clean()
}
