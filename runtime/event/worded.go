package event

import (
	"path/filepath"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/event/settle"
)

// The events of files.
const (
	eventMany = "changed" // several files, or unknown ones
)

// namesBytesMax is the most bytes of file names in an event.
const namesBytesMax = 2 << 10

// ofFiles returns the event for changes of files, in words (EVT-6). A name can hold any bytes; the
// machine decides by text alone, which is what a journal keeps.
func (s *Spec) ofFiles(b *settle.Batch) fsm.EventRaised {
	e := fsm.EventRaised{Source: s.Name, Subject: s.Folder, Event: eventMany}
	if b.Files() == 1 && b.Further() == 0 && !b.Lost {
		e.Subject, e.Event = wording.PathLine(b.Named[0]), string(b.Whats[0])
		if b.Whats[0] == settle.Went {
			e.Event = string(settle.Removed)
		}
		e.Detail = say(single[b.Whats[0]], "path", e.Subject)
		return e
	}
	if b.Files() > 0 {
		files := wording.Thousands(b.Files()) + " files"
		if b.Files() == 1 {
			files = "1 file"
		}
		if b.Further() > 0 { // whoever reads no further should not take the kept ones for all
			files = "More than " + files
		}
		e.Detail = say(wordMany, "files", files, "folder", s.Folder, "counts", counts(b.Count)) + s.named(b)
	}
	if n := b.Further(); n > 0 {
		e.Detail += say(wordFurther, "n", wording.Thousands(n), "counts", counts(b.More))
	}
	if b.Lost {
		e.Detail += say(wordLost, "folder", s.Folder)
	}
	e.Detail = strings.TrimSpace(e.Detail)
	return e
}

var single = map[settle.What]word{settle.Created: wordCreated, settle.Written: wordWritten, settle.Removed: wordRemoved, settle.Went: wordWent}

// counts returns in words how many times something was created, written and removed.
func counts(of map[settle.What]int) string {
	var parts []string
	for _, what := range []settle.What{settle.Created, settle.Written, settle.Removed} {
		if n := of[what]; n > 0 {
			parts = append(parts, wording.Thousands(n)+" "+string(what))
		}
	}
	return strings.Join(parts, ", ")
}

// named returns the names of files, relative to the folder, as far as they fit; a folder's ends
// with a slash.
func (s *Spec) named(b *settle.Batch) string {
	var names []string
	size := 0
	for i, path := range b.Named {
		if below, err := filepath.Rel(s.Folder, path); err == nil {
			path = below
		}
		if b.Whats[i] == settle.Went {
			path += string(filepath.Separator)
		}
		path = wording.PathLine(path)
		if size += len(path) + 2; size > namesBytesMax {
			break
		}
		names = append(names, path)
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) == b.Files() && b.Further() == 0:
		return say(wordNamed, "names", strings.Join(names, ", "))
	default:
		return say(wordAmong, "names", strings.Join(names, ", "))
	}
}

// ofState returns the event for a state or a level, in words.
func (s *Spec) ofState(c settle.Change) fsm.EventRaised {
	e := fsm.EventRaised{Source: s.Name, Subject: c.Subject, Event: c.To, Detail: c.Text}
	if c.Unsaid > 0 {
		e.Detail += say(wordUnsaid, "n", wording.Thousands(c.Unsaid))
	}
	return e
}
