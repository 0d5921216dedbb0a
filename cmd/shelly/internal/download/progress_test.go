package download_test

import (
	"strings"
	"testing"
	"time"

	"shelly/cmd/shelly/internal/download"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/ollama"
)

// clock is a clock that advances by a second at each reading.
type clock struct{ at time.Time }

func (c *clock) now() time.Time {
	c.at = c.at.Add(time.Second)
	return c.at
}

// tell plays a download of 5 GB, of which 1 GB exists already, at 0.5 GB per second.
func tell(p *download.Progress) {
	p.Tell(ollama.Pulling{Status: "pulling manifest"})
	for done := int64(1e9); done <= 5e9; done += 5e8 {
		p.Tell(ollama.Pulling{Status: "pulling ab", Digest: "sha256:ab", Total: 5e9, Completed: done})
	}
	p.Tell(ollama.Pulling{Status: "pulling cd", Digest: "sha256:cd", Total: 500, Completed: 500})
	p.Tell(ollama.Pulling{Status: "success"})
	p.End()
}

func TestCLI19OnATerminalOneLineIsRewritten(t *testing.T) {
	var out strings.Builder
	tell(&download.Progress{Line: &terminal.Line{Out: &out, Terminal: true}, Name: "qwen3:8b", Now: (&clock{}).now})
	got := strings.Split(strings.ReplaceAll(out.String(), "\x1b[K", ""), "\r")[1:]
	for i, want := range []string{
		"pulling manifest",
		"qwen3:8b [####--------------------]  20 %  1.0 of 5.0 GB",
		"qwen3:8b [#######-----------------]  30 %  1.5 of 5.0 GB  500 MB/s  7 s left",
	} {
		if got[i] != want {
			t.Errorf("line %d is %q, want %q", i, got[i], want)
		}
	}
	if last := got[len(got)-2:]; last[0] != "qwen3:8b [########################] 100 %  5.0 of 5.0 GB" || last[1] != "success\n" {
		t.Errorf("it ends with %q", last)
	}
	for _, line := range got {
		if len(line) > 80 {
			t.Errorf("%q is longer than a line", line)
		}
	}
}

func TestCLI19ElsewhereEachTenthIsALine(t *testing.T) {
	var out strings.Builder
	tell(&download.Progress{Line: terminal.NewLine(&out), Name: "qwen3:8b", Now: (&clock{}).now})
	const want = `pulling manifest
20 %, 1.0 of 5.0 GB
30 %, 1.5 of 5.0 GB
40 %, 2.0 of 5.0 GB
50 %, 2.5 of 5.0 GB
60 %, 3.0 of 5.0 GB
70 %, 3.5 of 5.0 GB
80 %, 4.0 of 5.0 GB
90 %, 4.5 of 5.0 GB
100 %, 5.0 of 5.0 GB
success
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
