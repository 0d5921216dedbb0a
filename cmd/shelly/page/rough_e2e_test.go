//go:build browser_e2e

package page

import (
	"fmt"
	"net/http"
	"os"
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

// A request of a client with a token of its own is shown, tried otherwise, followed and cancelled like one's own.
func TestCOM73AClientsRequestIsShownAndCancelled(t *testing.T) {
	w := begin(t, slow)
	r, err := http.NewRequest(http.MethodPost, "http://"+w.address+"/v1/requests", strings.NewReader(`{"id": "job", "text": "Write, says a client."}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.shelly("token", "add", "ci"))
	r.Header.Set("Content-Type", "application/json")
	if answer, err := http.DefaultClient.Do(r); err != nil || answer.StatusCode != http.StatusAccepted || answer.Body.Close() != nil {
		t.Fatalf("got %+v, %v; want status 202", answer, err)
	}
	w.enter()
	w.Click("nav a", "Requests")
	w.Click(".rows a", "Write, says a client.")
	w.See(".question", "May write_file run?")
	w.See(".steps li", "the model answered")
	w.Click("main button", "Show the report")
	w.Within("iframe.report", func() { w.See("body", "the model answered") })
	w.Click("main a", "client:ci/direct")
	w.See(".question", "May write_file run?")
	w.Click(".status button", "Cancel")
	w.See(".answer", "cancelled")
	w.clean()
}

// A turn stands where it was asked, also when it is read from the archive, which has the time of its end.
func TestCOM73ACommandStandsAfterWhatItStoppedAlsoAfterAReload(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.ask("Please write.")
	w.See(".question", "May write_file run?")
	w.ask("/stop")
	w.Gone(".status", "")
	for _, when := range []string{"at first", "after a reload"} {
		var said string
		w.Script(&said, `return [...document.querySelectorAll('.bubble')].map((b) => b.textContent).join(' ')`)
		if said != "Please write. /stop" {
			t.Errorf("%s it says %q", when, said)
		}
		w.Reload()
		w.See(".bubble", "/stop")
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
	w.See(".turn .status", "waiting for its turn") // what is sent by now moves nothing under the pointer
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

// A new tab of a browser that is let in needs no link, and after a restart one link lets in all.
func TestCOM71TheTabsOfABrowserAreLetInTogether(t *testing.T) {
	w := begin(t, slow)
	w.enter()
	w.Script(nil, `sessionStorage.removeItem('shelly.token'); // which a window that it opens would inherit
		window.other = window.open(location.pathname, '_blank', 'popup,width=600,height=700')`)
	w.Await("the other tab is let in", func() (in bool) {
		w.Script(&in, `return window.other.document.querySelector('.health')?.textContent === 'running' && Boolean(window.other.document.querySelector('#ask'))`)
		return in
	})
	w.kill(w.daemon)
	w.run()
	w.See(".health", "not let in")
	w.ask("Please write.")
	w.Script(nil, `window.other.location = arguments[0]`, w.shelly("page", "--no-open"))
	w.See(".question", "May write_file run?")
	w.See(".health", "running")
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
	if err := os.WriteFile(filepath.Join(w.dir, "config.yaml"), []byte(settings+"limits: {max_crashes: 1}\n"), 0o600); err != nil {
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
