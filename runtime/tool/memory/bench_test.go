package memory_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/session"
	"shelly/runtime/tool"
	"shelly/runtime/tool/memory"
	"shelly/runtime/yardstick"
)

// historyBytes is the size of the largest HISTORY.md that is read.
const historyBytes = 63 << 20

// BenchmarkSearch measures memory_search over the largest HISTORY.md there is (MEM-13).
// Its yardstick is to read the file and count its lines.
func BenchmarkSearch(b *testing.B) {
	for name, words := range map[string][]string{
		"english": strings.Fields("the Disk of web1 was full, so old logs were removed by Ann; a backup ran at 03:00 in /var/lib/backups and node.js 18 needs an update"),
		"chinese": {"磁盘", "已满", "旧日志", "被", "删除", "了", "，", "服务器", "web1", "昨天", "备份", "完成", "。"},
		"german":  strings.Fields("Die Festplatte überlief, größere Dateien müssen gelöscht werden; für heute genügt es"),
	} {
		for _, query := range []string{"disk backups", "zebra"} {
			b.Run(name+"/"+strings.ReplaceAll(query, " ", "_"), func(b *testing.B) {
				p := newPlace(b)
				writeHistory(b, p.data, words)
				added, err := memory.Tools(memory.Options{Offered: memory.Names(), Place: p, ResultBytesMax: tool.ResultBytesLeast})
				if err != nil {
					b.Fatal(err)
				}
				r, err := tool.New(tool.Options{Workspace: b.TempDir(), ResultBytesMax: tool.ResultBytesLeast, Added: added})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				b.SetBytes(historyBytes)
				for b.Loop() {
					if got := r.Run(b.Context(), fsm.RunTool{Name: "memory_search", Args: fmt.Sprintf(`{"query": %q}`, query), Session: "s"}); got.Failed {
						b.Fatal(got.Text)
					}
				}
				yardstick.Of(b, "a-reading", func() {
					text, err := os.ReadFile(filepath.Join(p.data, session.Folder, session.HistoryFile))
					if err != nil || bytes.Count(text, []byte("\n")) == 0 {
						b.Fatal(err)
					}
				})
			})
		}
	}
}

// writeHistory writes lines of 4 to 40 of the words until the file has historyBytes.
func writeHistory(b *testing.B, data string, words []string) {
	b.Helper()
	rng, text := rand.New(rand.NewPCG(1, 2)), make([]byte, 0, historyBytes+(1<<10))
	for len(text) < historyBytes {
		text = append(text, "[2026-01-05 09:00]"...)
		for range 4 + rng.IntN(36) {
			text = append(append(text, ' '), words[rng.IntN(len(words))]...)
		}
		text = append(text, '\n')
	}
	if err := os.WriteFile(filepath.Join(data, session.Folder, session.HistoryFile), text, 0o600); err != nil {
		b.Fatal(err)
	}
}
