package tool_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"shelly/fsm"
	"shelly/runtime/tool"
)

// INF-52, INF-54: a probe's answer is one of three, whatever it returns, and "never" counts only
// if it is final.
func TestINF54NeverIsTakenOnlyWhereItIsFinal(t *testing.T) {
	says := map[string]tool.Found{
		"done":    {Answer: fsm.ProbeDone, Text: "wrote 3 bytes"},
		"failed":  {Answer: fsm.ProbeDone, Text: "no", Failed: true},
		"never":   {Answer: fsm.ProbeNever, Final: true},
		"not yet": {Answer: fsm.ProbeNever, Text: "not seen"},
		"unsure":  {Answer: fsm.ProbeUnsure, Failed: true},
		"perhaps": {Answer: "perhaps"},
		"long":    {Answer: fsm.ProbeDone, Text: strings.Repeat("水", 10_000) + "\x00"},
	}
	var added []tool.Added
	for name, f := range says {
		added = append(added, tool.Added{Decl: fsm.ToolDecl{Name: name, Probe: true}, Probe: func(context.Context, fsm.RunProbe) tool.Found { return f }})
	}
	added = append(added, tool.Added{Decl: fsm.ToolDecl{Name: "breaks"}, Probe: func(context.Context, fsm.RunProbe) tool.Found { panic("oh") }})
	r, err := tool.New(tool.Options{Workspace: t.TempDir(), ResultBytesMax: 64 << 10, Added: added})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]fsm.ProbeAnswer{
		"done": fsm.ProbeDone, "failed": fsm.ProbeDone, "never": fsm.ProbeNever, "not yet": fsm.ProbeUnsure, "unsure": fsm.ProbeUnsure,
		"perhaps": fsm.ProbeUnsure, "long": fsm.ProbeDone, "breaks": fsm.ProbeUnsure, "read_file": fsm.ProbeUnsure, "unknown": fsm.ProbeUnsure,
	}
	for name, answer := range want {
		got := r.Probe(t.Context(), fsm.RunProbe{Name: name})
		if got.Answer != answer || got.Failed != (name == "failed") || len(got.Text) > 4<<10 || !utf8.ValidString(got.Text) {
			t.Errorf("%s: got %+v; want Answer %v, Failed %t, at most 4 KiB of UTF-8", name, got, answer, name == "failed")
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if got := r.Probe(ended, fsm.RunProbe{Name: "done"}); got.Answer != fsm.ProbeUnsure {
		t.Errorf("given up: %+v", got)
	}
}
