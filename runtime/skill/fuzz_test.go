package skill

import (
	"github.com/google/go-cmp/cmp"

	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever a SKILL.md holds, it is an error on one line or a skill with a summary on
// one line and instructions, which are the end of the file.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"---\nname: release\ndescription: How a release\n  is made.\nlicense: MIT\n---\n\n1. Run the tests.\n", "---\ndescription: x\nalways: true\n---\ny",
		"", "---\n", "---\n---\n", "--- \n", "---\ndescription: x\n---\n", "---\ndescription: [x]\n---\ny", "---\ndescription: &a [*a]\n---\ny",
		"---\ndescription: x\n---\n---\ny\n---\n", "---\ndescription: \"a\n\n---\nb\"\n---\ny", "---\na: 1\n---\n", "---\n- a\n---\ny", "---\n<<: {description: x}\n---\ny",
		"---\ndescription: x\nalways: yes\n---\ny", "---\ndescription: \"\\0\"\n---\ny", "---\ndescription: x\n...\n---\ny",
		"---\ndescription: " + strings.Repeat("long ", summaryBytesMax/4) + "\n---\ny",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip("no text")
		}
		head, body, err := parse(text)
		again, sameBody, second := parse(text)
		if !cmp.Equal(head, again, cmp.AllowUnexported(Front{})) || body != sameBody || (err == nil) != (second == nil) {
			t.Fatalf("read as %+v, then as %+v", head, again)
		}
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q", err)
			}
			return
		}
		if head.Description == "" || utf8.RuneCountInString(head.Description) > 1024 || strings.ContainsAny(head.Description, "\r\n\t") {
			t.Errorf("the summary is %q", head.Description)
		}
		if body == "" || !strings.HasSuffix(strings.TrimSpace(text), body) {
			t.Errorf("the instructions are %q", body)
		}
	})
}
