package wording_test

import (
	"testing"

	"shelly/fsm/wording"
)

func TestCLI217AWordOfACommandIsQuotedWhereAShellNeedsIt(t *testing.T) {
	for word, want := range map[string]string{ // order-free: each is alone
		"/srv/my-files": "/srv/my-files", "/srv/my files": "'/srv/my files'", "it's": `'it'\''s'`, "a;b": "'a;b'", "": "''",
	} {
		if got := wording.ShellWord(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}
