package suite

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/sim/scenario"
)

// That there is no file any more is said once, whatever else changes, and the files that there were
// are forgotten (SCN-39).
func TestSCN39ThatThereIsNoFileIsSaidOnce(t *testing.T) {
	var said bytes.Buffer
	w := &caseWatch{Command: &Command{Paths: []string{t.TempDir()}}, t: &terminal.Terminal{Out: &said, Err: &said}, all: make([]*scenario.File, 1), loaded: map[string]*loadedFile{"gone": {}}}
	for range 3 {
		if err := w.again(context.Background(), changes{all: true}); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(said.String(), "holds no file"); n != 1 || strings.Count(said.String(), "\n") != 1 {
		t.Errorf("said %d times:\n%s", n, said.String())
	}
	if len(w.all) != 0 || len(w.loaded) != 0 {
		t.Errorf("%d cases of %d files are known", len(w.all), len(w.loaded))
	}
}
