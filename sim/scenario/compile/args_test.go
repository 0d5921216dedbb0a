package compile_test

import (
	"strings"
	"testing"

	"shelly/sim/scenario"
	"shelly/sim/scenario/casetest"
)

func TestArgumentsKeepTheirOrderAndNumbers(t *testing.T) {
	f, err := scenario.Parse("f.scenario.yaml", []byte(strings.Replace(casetest.Valid, `{says: "hello"}`,
		`{calls: [{tool: exec, args: {z: 1, a: [true, null, 1.50, "<ü>"], big: 12345678901234567890}}]}`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"z":1,"a":[true,null,1.50,"<ü>"],"big":12345678901234567890}`
	if got := string(f.Script.Lines[0].Calls[0].Args); got != want {
		t.Errorf("args %s, want %s", got, want)
	}
}
