package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/yardstick"
)

// thousandth is a scenario as people write it, a round trip with a tool; no two are equal.
const thousandth = `# yaml-language-server: $schema=schema/scenario.v1.json
scenario: 1
name: how full is disk %[1]d
tags: [disk, smoke]
tools:
  exec:
    - args: {command: "df -h /mnt/%[1]d"}
      returns: "/dev/sd%[1]d  50G  46G  4G  %[2]d%% /mnt/%[1]d"
      takes: 300ms
brain:
  - calls: [{tool: exec, args: {command: "df -h /mnt/%[1]d"}}]
    takes: 1.2s
  - sees: {last: {role: tool, text: {$contains: "%[2]d%%"}}}
    says: "Disk %[1]d is %[2]d%% full."
timeline:
  - {at: 0s, user: "How full is disk %[1]d?"}
expect:
  replies: ["Disk %[1]d is %[2]d%% full."]
  inference: {path: [thinking, acting, thinking, completed]}
`

const thousand = 1000

// BenchmarkThousandFiles is shelly test with a thousand files on disk, in ten folders: finding,
// loading, playing, judging and reporting. Its yardstick is reading the files.
func BenchmarkThousandFiles(b *testing.B) {
	dir := b.TempDir()
	for n := range thousand {
		name := filepath.Join(dir, fmt.Sprintf("part-%d", n%10), fmt.Sprintf("disk-%d.scenario.yaml", n))
		must(b, os.MkdirAll(filepath.Dir(name), 0o755))
		must(b, os.WriteFile(name, fmt.Appendf(nil, thousandth, n, 10+n%90), 0o644))
	}
	for b.Loop() {
		var out, problems bytes.Buffer
		code := execute([]string{"test", dir + "/..."}, &terminal.Terminal{In: strings.NewReader(""), Out: &out, Err: &problems})
		if code != exit.OK || !strings.Contains(out.String(), fmt.Sprintf("%d passed", thousand)) {
			b.Fatalf("ended with %d: %s%s", code, out.String(), problems.String())
		}
	}
	b.ReportMetric(float64(thousand*b.N)/b.Elapsed().Seconds(), "files/s")
	yardstick.Of(b, "reading", func() {
		names, err := filepath.Glob(filepath.Join(dir, "*", "*"))
		if err != nil || len(names) != thousand {
			b.Fatal(len(names), err)
		}
		for _, name := range names {
			if _, err := os.ReadFile(name); err != nil {
				b.Fatal(err)
			}
		}
	})
}
