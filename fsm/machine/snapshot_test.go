package machine_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"shelly/fsm"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func TestJRN15WireFormOfASnapshot(t *testing.T) {
	d := serving(t)
	d.ask("what is here?")
	d.answer("NEED: the folder")
	d.recalls("it is /srv")
	d.calls("list_dir", "send_mail")
	d.toolSays("a.txt")
	d.ask("waits")
	d.askAs(fsm.RequestKey{Channel: "test", ID: "r2"}, "waits")
	d.signal()
	data, err := json.MarshalIndent(d.m.Snapshot(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	const path = "testdata/snapshot.golden"
	if *update {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(data)); diff != "" {
		t.Errorf("the wire form has changed: that is a new version of the journal (-update rewrites %s)\n%s", path, diff)
	}
}
