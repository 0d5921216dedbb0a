package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"shelly/fsm/wording"
)

// annotationsMax is how many errors of one step GitHub shows.
const annotationsMax = 10

// Annotations writes workflow commands that make GitHub show what did not pass at its
// place in the source: one for each case, at its first failure, for the first
// annotationsMax of them (SCN-43). path says how GitHub knows a file.
func Annotations(w io.Writer, r *Run, path func(file string) string) error {
	var b strings.Builder
	n := 0
	for i := range r.Cases {
		c := &r.Cases[i]
		if !c.Status().Fails() {
			continue
		}
		if n++; n > annotationsMax {
			break
		}
		file, at := c.place()
		b.WriteString("::error file=" + property(path(file)))
		if at.Line > 0 {
			fmt.Fprintf(&b, ",line=%d", at.Line)
		}
		if at.Line > 0 && at.Col > 0 {
			fmt.Fprintf(&b, ",col=%d", at.Col)
		}
		b.WriteString(",title=" + property(wording.OneLine(c.Title())) + "::" + data(c.headline()+"\n"+c.again()) + "\n")
	}
	n = 0
	for i := range r.Cases {
		c := &r.Cases[i]
		if c.Status() != Skipped || !c.ByFile {
			continue
		}
		if n++; n > annotationsMax {
			break
		}
		fmt.Fprintf(&b, "::notice file=%s,line=%d,title=%s::%s\n", property(path(c.File)), c.Line, property("skipped: "+wording.OneLine(c.Title())), data(c.Skipped))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// data escapes the text of a workflow command, in which nothing controls a terminal either.
func data(text string) string {
	return strings.NewReplacer("%", "%25", "\n", "%0A").Replace(wording.Visible(text))
}

// property escapes a property of a workflow command.
func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(text))
}

// Guard returns a writer for a log in which GitHub looks for workflow commands: none
// is found in what is written, each time whole lines, for it stands between
// stop-commands and its token where it could hold one. Blanks before a command do not
// disarm it, and the form ##[command] counts anywhere in a line.
func Guard(w io.Writer) io.Writer { return guard{w} }

type guard struct{ w io.Writer }

// Write implements [io.Writer].
func (g guard) Write(p []byte) (int, error) {
	if _, err := io.WriteString(g.w, guarded(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// guarded puts a text between stop-commands and its token. The token is the text's
// digest, which the text cannot hold.
func guarded(text string) string {
	if !strings.Contains(text, "::") && !strings.Contains(text, "##[") {
		return text
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	digest := sha256.Sum256([]byte(text))
	token := hex.EncodeToString(digest[:16])
	return "::stop-commands::" + token + "\n" + text + "::" + token + "::\n"
}
