package listing

import (
	"fmt"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/terminal"
)

// Unread tells which of the configuration a running daemon does not list: it has not read that
// configuration yet, or has read another one. It returns what [Print] says if the daemon lists nothing:
// none, or that.
func Unread[S any](t *terminal.Terminal, none string, listed, configured []S, name func(S) string) string {
	var lacks []string
	for _, c := range configured {
		if !slices.ContainsFunc(listed, func(l S) bool { return name(l) == name(c) }) {
			lacks = append(lacks, name(c))
		}
	}
	if len(lacks) == 0 {
		return none
	}
	says := fmt.Sprintf("shelly runs without %s, which the configuration names; it reads that at SIGHUP and when it starts", strings.Join(lacks, ", "))
	if len(listed) > 0 {
		fmt.Fprintln(t.Err, terminal.Printable(says))
	}
	return says
}
