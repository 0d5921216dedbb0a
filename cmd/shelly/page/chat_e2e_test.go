//go:build browser_e2e

package page

import (
	"os"
	"path/filepath"
	"testing"
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
