package schedule

import (
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/comm"
)

func TestCLI215TheNextTimeIsWithItsZone(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.Local)
	var out strings.Builder
	list := []comm.Schedule{{ID: "s1", Cron: "0 9 * * *", Zone: "Asia/Tokyo", Channel: "cli"}, {ID: "s2", Cron: "@daily", Channel: "cli"}}
	list[0].Next = fsm.Millis(at.UnixMilli())
	if err := printList(&out, list); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if zone, _ := at.Zone(); !strings.Contains(lines[1], "  2026-12-01 09:00:00 "+zone+"  ") || !strings.Contains(lines[2], "  -  ") {
		t.Errorf("it says\n%s", out.String())
	}
}
