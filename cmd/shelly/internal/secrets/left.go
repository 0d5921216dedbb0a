package secrets

import (
	"os"
	"strconv"
	"strings"

	"shelly/sim/history/redact"
)

// Left says where a file has placeholders for secrets, such as a configuration out of a bundle (DEP-7):
// "line 3 of FILE"; empty if it has none, or cannot be read.
func Left(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	var lines []string
	for _, line := range redact.LinesLeft(string(text)) {
		lines = append(lines, strconv.Itoa(line))
	}
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return "line " + lines[0] + " of " + file
	default:
		return "lines " + strings.Join(lines, ", ") + " of " + file
	}
}
