package session

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"shelly/fsm"
)

// The beginning and the end of the comment that says which turn wrote what is above it. Between
// them are the store's name and, in MEMORY.md, the source of its text and the latest turns and
// calls.
const (
	markBegin = "<!-- shelly turn "
	markEnd   = " -->"
	markFrom  = "from=" // the sources, and a hash of the text they apply to; no turn's name can contain "="
)

// marksMax is how many turns and calls the mark of MEMORY.md lists. A call can come again only while
// its handle is unfinished, and few calls of other handles come before that.
const marksMax = 64

// mark returns the comment for a store's turns. Whatever a turn's name is, it cannot end the
// comment.
func mark(store string, turns ...string) string {
	words := []string{store}
	for _, turn := range turns {
		words = append(words, url.QueryEscape(turn))
	}
	return markBegin + strings.Join(words, " ") + markEnd
}

// entries returns what is added to a HISTORY.md that ends with tail. No entry can look like a mark.
func entries(tail string, notes []string, mark string) string {
	var b strings.Builder
	if tail != "" && !strings.HasSuffix(tail, "\n") {
		b.WriteString("\n")
	}
	for i, note := range notes {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(strings.ReplaceAll(strings.TrimSpace(note), "<!--", "&lt;!--") + "\n")
	}
	b.WriteString(mark + "\n\n")
	return b.String()
}

// memory is MEMORY.md as it was read.
type memory struct {
	content string     // without the mark
	source  fsm.Source // where the content came from (MSG-2)
	turns   []string   // the turns of this store that wrote it, according to its mark
}

// parseMemory splits off the mark. This package writes it as the last line, but a person may have
// added something after it.
func parseMemory(text, store string) memory {
	m := unmarked(text, store)
	if m.content == "" {
		m.source = 0
	}
	return m
}

func unmarked(text, store string) memory {
	at := strings.LastIndex("\n"+text, "\n"+markBegin)
	if at < 0 {
		return memory{content: text, source: fsm.FromPerson}
	}
	line, rest, _ := strings.Cut(text[at:], "\n")
	inside, ok := strings.CutSuffix(strings.TrimPrefix(line, markBegin), markEnd)
	if !ok {
		return memory{content: text, source: fsm.FromPerson}
	}
	m := memory{content: strings.TrimSuffix(text[:at], "\n")}
	if rest != "" {
		m.content = text[:at] + rest
	}
	words := strings.Fields(inside)
	m.source = m.sourceIn(words)
	if len(words) == 0 || words[0] != store {
		return m
	}
	for _, word := range words[1:] {
		if strings.HasPrefix(word, markFrom) {
			continue
		}
		if turn, err := url.QueryUnescape(word); err == nil {
			m.turns = append(m.turns, turn)
		}
	}
	return m
}

// sourceIn returns where the content came from according to the words of a mark. If the content
// does not have the hash in the mark, a person has changed it. The mark of an older build has no
// source.
func (m memory) sourceIn(words []string) fsm.Source {
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, markFrom) })
	if i < 0 {
		return 0
	}
	names, hash, _ := strings.Cut(strings.TrimPrefix(words[i], markFrom), "@")
	from := fsm.SourceOf(strings.Split(names, ","))
	if hash != m.brief() {
		from |= fsm.FromPerson
	}
	return from
}

// hash identifies the content: its SHA-256 in hexadecimal, or "" for no content.
func (m memory) hash() string {
	if m.content == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(m.content))
	return hex.EncodeToString(sum[:])
}

// brief returns enough of the hash to show that the content was changed.
func (m memory) brief() string { return m.hash()[:min(len(m.hash()), 16)] }

// into returns the session with MEMORY.md in it.
func (m memory) into(s fsm.Session) fsm.Session {
	s.Memory, s.MemoryHash, s.MemorySource = strings.ToValidUTF8(m.content, "\uFFFD"), m.hash(), m.source
	return s
}

// admits reports whether a save may replace MEMORY.md: the file is what was loaded, or the save has
// replaced it already.
func (m memory) admits(e fsm.SaveSession) bool {
	return m.hash() == e.State.MemoryHash || m.written(e)
}

// written reports whether a save has already replaced MEMORY.md, whatever a person may have made of
// it since.
func (m memory) written(e fsm.SaveSession) bool {
	return slices.Contains(m.turns, e.Turn) || m.content == e.State.Memory
}

// replaced returns the text of the file that a save makes, and false if there is nothing to do.
func (m memory) replaced(e fsm.SaveSession, store string) (string, bool) {
	if m.written(e) {
		return "", false
	}
	m.source = e.State.MemorySource
	return m.marked(e.State.Memory, e.Turn, store), true
}

// marked returns the text of a file with this content, written by a turn or a call.
func (m memory) marked(content, turn, store string) string {
	turns := append(slices.Clone(m.turns), turn)
	if old := len(turns) - marksMax; old > 0 {
		turns = turns[old:]
	}
	if names := m.source.Names(); len(names) > 0 {
		store += " " + markFrom + strings.Join(names, ",") + "@" + memory{content: content}.brief()
	}
	return content + "\n" + mark(store, turns...) + "\n"
}
