package logging

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"shelly/runtime/config"
)

func TestCFG9NoTextMakesASecondRecord(t *testing.T) {
	const forged = "a\nlevel=ERROR msg=forged\r\x1b[2K\u2028b"
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		log := New(&out, config.Log{Level: "info", Format: format})
		log.Info(forged, "text", forged, forged, 1, "error", errors.New(forged))
		got := out.String()
		if strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\n") || strings.ContainsAny(got, "\r\x1b") {
			t.Errorf("%s: %q is not one line", format, got)
		}
	}
}
