package doctor

import (
	"context"
	"path/filepath"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/datafolder"
	"shelly/runtime/store"
)

func TestTOL95DoctorSaysWhichServersAreNotUp(t *testing.T) {
	for _, c := range []struct {
		status comm.Status
		level  string
		what   string
		found  string
	}{
		{comm.Status{}, "ok", "clients", "nobody is connected"},
		{comm.Status{MCP: &comm.Borrowed{Servers: 1, Up: 1, Tools: 4}}, "ok", "mcp", "1 server, 1 up, 4 tools"},
		{comm.Status{MCP: &comm.Borrowed{Servers: 2, Tools: 4, Trouble: []string{"a: it has ended", "b: it has not greeted"}}}, "warn", "mcp", "2 servers, 0 up, 4 tools: a: it has ended; b: it has not greeted"},
	} {
		e := &examined{examination: &examination{}}
		e.connected(c.status)
		wantFinding(t, e, c.level, c.what, c.found)
	}
}

// A data folder that a start would refuse because newer code decided in it is not in order.
func TestJRN15DoctorReportsAJournalOfALaterEdition(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	for edition, want := range map[int]string{fsm.PresentEdition: "ok", fsm.PresentEdition + 1: "fail"} { // order-free: each has its own folder
		cfg := config.Config{Data: data + want}
		s, err := datafolder.Open(cfg.Data, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		boot := fsm.Input{At: 1, Fact: fsm.Boot{Config: fsm.Config{Edition: edition}}}
		if err := s.Append(engine.Batch{Records: []engine.Record{{Index: 1, Input: boot}}}, true); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		e := &examined{examination: &examination{}}
		e.unused(context.Background(), cfg)
		wantFinding(t, e, want, "data folder")
		if want == "fail" {
			wantFinding(t, e, want, "data folder", "written by a newer shelly", "use the shelly that wrote it, or name another folder with --data")
		}
	}
}
