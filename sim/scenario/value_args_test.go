package scenario

import (
	"strings"
	"testing"
)

func TestArgumentsKeepTheirOrderAndNumbers(t *testing.T) {
	f, err := Parse("f.scenario.yaml", []byte(strings.Replace(valid, `{says: "hello"}`,
		`{calls: [{tool: exec, args: {z: 1, a: [true, null, 1.50, "<ü>"], big: 12345678901234567890}}]}`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"z":1,"a":[true,null,1.50,"<ü>"],"big":12345678901234567890}`
	if got := string(f.Script.Lines[0].Calls[0].Args); got != want {
		t.Errorf("args %s, want %s", got, want)
	}
}
