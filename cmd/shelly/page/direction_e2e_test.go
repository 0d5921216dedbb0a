//go:build browser_e2e

package page

import (
	"slices"
	"testing"
)

// Without escapes the override turns round what stands after it, up to the end of its line: the
// person would approve another command than the one that they read.
func TestAPR22ACallIsReadInTheOrderInWhichItRuns(t *testing.T) {
	w := begin(t, `scenario: 1
name: a command with an override of the direction
profile: default
tools: {exec: [], write_file: []}
brain:
  - calls: [{tool: exec, args: {command: "echo a # \u202Ecba\u2069\e[8m \U000E0072\uFE01\u200B."}}]
  - says: "`+"`x\\u202Ey`"+`"
timeline:
  - {user: "run"}
expect:
  replies: [""]
`)
	w.enter()
	w.ask("Run.")
	w.See(".question .args pre", `echo a # \u202ecba\u2069\x1b[8m \U000e0072\ufe01\u200b.`)
	w.Click(".question button", "No")
	w.See(".answer code", `x\u202ey`)
	w.Reload()
	w.See(".tool .gist", `echo a # \u202ecba`)
	w.clean()
}

// JavaScript would read other numbers than run, and only one of two arguments with one name.
func TestAPR25TheArgumentsAreAsTheModelWroteThem(t *testing.T) {
	w := begin(t, `scenario: 1
name: a command with a number that a double cannot hold
profile: default
tools: {exec: []}
brain:
  - calls: [{tool: exec, args: {n: 9007199254740993, command: "true"}}]
  - says: "Done."
timeline:
  - {user: "run"}
expect:
  replies: [""]
`)
	w.enter()
	w.ask("Run.")
	w.See(".question .args pre", "9007199254740993")
	var got string
	const given = `{"n": -1E999, "a\n\"": [1.0, {"b": "]}"}], "2": "\u0041", "l": [{"c":"d e"}], "n": null}`
	w.Script(&got, `return import('/page/members.js').then(({ members, worded }) => members(arguments[0]).map((m) => m.name + '=' + worded(m.value)).join('; '))`, given)
	if want := "n=-1E999; a\n\"=[1.0,{\"b\":\"]}\"}]; 2=A; l=[\n {\n  \"c\": \"d e\"\n }\n]; n=null"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
	w.Click(".question button", "No")
	w.See(".answer", "Done.")
	w.clean()
}

func TestCOM100TextGoesInTheDirectionOfItsLanguage(t *testing.T) {
	w := begin(t, `scenario: 1
name: an answer in Arabic
profile: default
brain:
  - says: "مرحبا `+"`f()`"+`\n\n1. أولا\n2. ثانيا\n\n> اقتباس\n\n| ا | ب |\n|---|---|\n| ج | د |\n\n- left to right\n"
timeline:
  - {user: "say"}
expect:
  replies: [""]
`)
	w.enter()
	w.ask("Say.")
	w.See(".answer ul", "left to right")
	var got []string
	w.Script(&got, `return ['ol', 'blockquote', 'table', 'ul', 'code'].map((tag) => tag + ' ' + getComputedStyle(document.querySelector('.answer ' + tag)).direction)`)
	if want := []string{"ol rtl", "blockquote rtl", "table rtl", "ul ltr", "code ltr"}; !slices.Equal(got, want) {
		t.Errorf("got %v; want %v", got, want)
	}
	w.pictures("direction")
	w.clean()
}
