//go:build browser_e2e

package page

import (
	"testing"
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
