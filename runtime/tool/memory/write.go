package memory

import (
	"context"
	"errors"
	"fmt"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/session"
	"shelly/runtime/tool"
)

// writeDecl declares memory_write (MEM-15). It is idempotent: a file records the calls that
// have written it.
func writeDecl() fsm.ToolDecl {
	return fsm.ToolDecl{
		Name: WriteName,
		Description: "Keep text for later conversations: it is added to MEMORY.md, or takes the place of old, which must be there exactly once; " +
			"an empty text removes old. To HISTORY.md an entry is added.",
		Parameters: `{"type":"object","properties":{"text":{"type":"string"},"old":{"type":"string"},` + fileProperty + `},"required":["text"],"additionalProperties":false}`,
		Effects:    fsm.EffectsIdempotent,
		Source:     fsm.FromOperator,
	}
}

// write is the tool memory_write.
func (t *tools) write(ctx context.Context, call fsm.RunTool, a tool.Arguments) tool.Result {
	files, err := t.Place.Files(ctx)
	if err != nil {
		return tool.Undone(err)
	}
	n := session.Note{Key: call.Key, File: a.Text("file", session.MemoryFile), Old: a.Text("old", ""), Text: a.Text("text", ""), Source: call.Source}
	w, err := files.Write(ctx, n)
	switch {
	case errors.Is(err, session.ErrNoOld):
		return tool.Invalid("old is not in %s, word for word; nothing was written. Read it with %s", n.File, ReadName)
	case errors.Is(err, session.ErrOlds):
		return tool.Invalid("old is in %s more than once; nothing was written. Give more of the text around the one that is meant", n.File)
	case errors.Is(err, session.ErrOnlyAdd):
		return tool.Invalid("%s is a log and is only added to; nothing was written. Leave out old", n.File)
	case errors.Is(err, session.ErrEmpty):
		return tool.Invalid("text is empty; nothing was written")
	case errors.Is(err, session.ErrTooLong):
		return tool.Invalid("%s is full: %v; nothing was written. Replace something with old", n.File, err)
	case err != nil:
		return tool.Nothing("%s cannot be written: %v", n.File, err)
	case w.Already:
		return tool.Result{Text: n.File + " has it already."}
	case n.File == session.HistoryFile:
		return tool.Result{Text: "added to " + n.File}
	}
	return tool.Result{Text: fmt.Sprintf("wrote %s (%s, before %d)", n.File, wording.Count(len(w.After), "byte"), len(w.Before))}
}
