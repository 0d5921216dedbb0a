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

func TestCLI217AWordThatBeginsWithADashIsNotTakenForAFlag(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{wording.ShellPath("-x.scenario.yaml"), "./-x.scenario.yaml"},
		{wording.ShellPath("-my x"), "'./-my x'"},
		{wording.ShellPath("a/-x"), "a/-x"},
		{wording.ShellArgument("-x"), "-- -x"},
		{wording.ShellArgument("-x y", "--channel", "web"), "--channel web -- '-x y'"},
		{wording.ShellArgument("x", "--channel", "web"), "x --channel web"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}
