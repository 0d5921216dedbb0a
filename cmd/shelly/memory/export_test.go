package memory

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/terminal"
)

// interrupted is a memory whose export a signal ends.
type interrupted struct{ memories }

func (interrupted) Export(ctx context.Context, w io.Writer, _ bool) error {
	_, err := io.WriteString(w, "{\"shelly_memory\":1}\n")
	return errors.Join(err, ctx.Err())
}

func TestCLI2AnInterruptedExportSaysWhatItLeft(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(exit.Silent(130))
	file := filepath.Join(t.TempDir(), "memory.jsonl")
	for name, want := range map[string]string{
		"":   "shelly: interrupted: what was written is not a whole export; run it again\n",
		"-":  "shelly: interrupted: what was written is not a whole export; run it again\n",
		file: "shelly: interrupted: " + file + " was not written; run it again\n",
	} {
		var out, said strings.Builder
		err := new(exportCmd).write(ctx, &terminal.Terminal{Out: &out}, output.File{Name: name}, interrupted{})
		if code := exit.Code(err, &said); code != 130 || said.String() != want {
			t.Errorf("%q: ended with %d: %s", name, code, &said)
		}
	}
}
