package doctor

import (
	"context"
	"path/filepath"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/config"
	"shelly/runtime/datafolder"
	"shelly/runtime/store"
)

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
