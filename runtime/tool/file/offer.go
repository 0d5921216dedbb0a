package file

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/runtime/tool"
)

// ErrNoTool is the error for a name that no file tool has.
var ErrNoTool = errors.New("there is no file tool")

// one is one file tool.
type one struct {
	decl   fsm.ToolDecl
	run    func(context.Context, fsm.RunTool, tool.Arguments) tool.Result
	alters altering // only of a tool that changes a file
}

func (t *Tools) all() []one {
	everywhere := t.options.Everywhere
	return []one{
		{readFileDecl(everywhere), t.readFile, nil},
		{writeFileDecl(everywhere), t.writeFile, written},
		{editFileDecl(everywhere), t.editFile, edited},
		{listDirDecl(everywhere), t.listDir, nil},
		{grepDecl(everywhere), t.grep, nil},
		{globDecl(everywhere), t.glob, nil},
	}
}

// Added returns the tools for a [tool.Runner].
func (t *Tools) Added() ([]tool.Added, error) {
	for _, name := range t.options.Offered {
		if names := Names(); !slices.Contains(names, name) {
			return nil, fmt.Errorf("%w %q; there are: %s", ErrNoTool, name, strings.Join(names, ", "))
		}
	}
	var added []tool.Added
	for _, o := range t.all() {
		if t.options.Offered != nil && !slices.Contains(t.options.Offered, o.decl.Name) {
			continue
		}
		a, err := tool.Own(o.decl, o.run)
		if err != nil {
			return nil, err
		}
		if o.alters != nil && t.log != nil {
			a.Probe = t.probe
		}
		if o.alters != nil { // APR-21
			a.Preview = func(ctx context.Context, args string) string {
				text, _ := t.Preview(ctx, fsm.RunTool{Name: o.decl.Name, Args: args})
				return text
			}
		}
		added = append(added, a)
	}
	return added, nil
}

// Declarations returns the declarations of the tools when they are bound to a workspace.
func Declarations() []fsm.ToolDecl {
	var decls []fsm.ToolDecl
	for _, o := range (&Tools{}).all() {
		decls = append(decls, o.decl)
	}
	return decls
}

// Names returns the names of the tools.
func Names() []string {
	var names []string
	for _, d := range Declarations() {
		names = append(names, d.Name)
	}
	return names
}

// Preview returns what a call of write_file or edit_file would do to its file, in the words of
// its result, or why it would fail; nothing is written. It returns false for other tools. The
// person who decides about the call is shown it.
func (t *Tools) Preview(ctx context.Context, call fsm.RunTool) (string, bool) {
	for _, o := range t.all() {
		if o.decl.Name != call.Name || o.alters == nil {
			continue
		}
		var text string
		checked, err := tool.Checked(o.decl, func(ctx context.Context, _ fsm.RunTool, a tool.Arguments) tool.Result {
			p, err := t.place(ctx, a.Text("path", ""))
			if err != nil {
				return tool.Undone(err)
			}
			defer p.close()
			alt, err := o.alters(p, a)
			if err != nil {
				return tool.Undone(err)
			}
			return tool.Result{Text: t.changed(p, alt, future)}
		})
		if err == nil {
			text = tool.Mend(checked.Run(ctx, call).Text)
		}
		return text, err == nil
	}
	return "", false
}
