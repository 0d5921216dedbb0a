package judge

import (
	"testing"

	"shelly/sim/strict"
)

// SCN-10: what several failures share stands once, after the last of them, and they
// come in the order of the file.
func TestWhatFailuresShareIsReportedOnce(t *testing.T) {
	f := Failure{File: "a.scenario.yaml", Trace: []string{"  1  +0s boot"}, Again: "shelly test a.scenario.yaml:1"}
	list := make([]Failure, 3)
	for i, path := range []string{"expect.replies", "expect.memory", "never[0]"} {
		list[i] = f
		list[i].Path, list[i].Pos = path, strict.Pos{Line: 9 - i, Col: 1}
	}
	list[2].Trace = nil
	inOrder(list)
	const want = `FAIL x
  a.scenario.yaml:7:1: never[0]

  a.scenario.yaml:8:1: expect.memory

  a.scenario.yaml:9:1: expect.replies
  the last steps before it:
      1  +0s boot
  again: shelly test a.scenario.yaml:1
`
	if got := Tell("x", list); got != want {
		t.Errorf("got:\n%s; want:\n%s", got, want)
	}
}
