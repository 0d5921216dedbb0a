package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"shelly/fsm"
	entries "shelly/runtime/memory"
	"shelly/runtime/session"
	"shelly/runtime/tool"
)

// The names of the tools.
const (
	SearchName = "memory_search"
	ReadName   = "memory_read"
	WriteName  = "memory_write"
)

// Entries gives access to the remembered entries; [entries.Memory] implements it.
type Entries interface {
	Search(ctx context.Context, q entries.Query) (entries.Result, error)
}

// Files gives access to MEMORY.md and HISTORY.md; [session.Sessions] implements it.
type Files interface {
	Memory() (string, error)
	History(ctx context.Context, fn func(number int, line string) bool) error
	Write(ctx context.Context, n session.Note) (session.Written, error)
}

// Place gives access to the memory. Its methods are not called before a tool call.
type Place interface {
	Entries(ctx context.Context) (Entries, error)
	Files(ctx context.Context) (Files, error)
}

// Options says which tools there are and what bounds them.
type Options struct {
	Offered        []string // the names of the tools, of [Names]
	Place          Place
	Own            bool // memory_search finds only entries of the call's own session (MEM-6)
	Spare          bool // memory_search must not make the server unload the chat model (MEM-11)
	ResultBytesMax int
	// EmbedWithin is how long memory_search waits for the query's vector, and ReadWithin how
	// long it reads the files; 0: 10 s and 20 s.
	EmbedWithin, ReadWithin time.Duration
}

// tools are the tools of one configuration.
type tools struct{ Options }

type one struct {
	decl fsm.ToolDecl
	run  func(context.Context, fsm.RunTool, tool.Arguments) tool.Result
}

func (t *tools) all() []one {
	return []one{{searchDecl(), t.search}, {readDecl(), t.read}, {writeDecl(), t.write}}
}

// Tools returns the offered tools, or an error that names one that does not exist.
func Tools(o Options) ([]tool.Added, error) {
	for _, name := range o.Offered {
		if names := Names(); !slices.Contains(names, name) {
			return nil, fmt.Errorf("there is no tool %q of memory; there are: %s", name, strings.Join(names, ", "))
		}
	}
	o.EmbedWithin, o.ReadWithin = cmp.Or(o.EmbedWithin, 10*time.Second), cmp.Or(o.ReadWithin, 20*time.Second)
	var added []tool.Added
	for _, one := range (&tools{o}).all() {
		if !slices.Contains(o.Offered, one.decl.Name) {
			continue
		}
		a, err := tool.Own(one.decl, one.run)
		if err != nil {
			return nil, err
		}
		added = append(added, a)
	}
	return added, nil
}

// Names returns the names of the tools.
func Names() []string { return []string{SearchName, ReadName, WriteName} }

// room is how many bytes of a result a tool may fill with what it was asked for.
func (t *tools) room() int { return tool.Room(t.ResultBytesMax) }
