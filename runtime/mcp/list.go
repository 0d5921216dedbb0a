package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/mcp/wire"
	"shelly/runtime/tool"
	"shelly/runtime/tool/parameters"
)

// Bounds of what a server may offer.
const (
	pagesMax            = 32
	toolsMax            = 256
	schemaBytesMax      = 16 << 10
	allSchemasBytesMax  = 512 << 10 // of all the tools of one server: they are in each boot's record
	descriptionBytesMax = 1000
	nameMax             = 64 // characters of a tool's name, the limit of common model servers
	leftOutMax          = 5  // left-out tools that are named in the log
)

// declared is a tool of a server.
type declared struct {
	server, name string
	description  string
	schema       string
	checked      string // the schema without what cannot be checked
	effects      fsm.ToolEffects
	tasks        bool // its calls may become tasks (TOL-98)
}

// listed asks a server for its tools (TOL-94).
func (s *server) listed(ctx context.Context, n *session) ([]declared, error) {
	ctx, cancel := context.WithTimeout(ctx, s.options.pace.connect)
	defer cancel()
	type answer struct {
		list []*sdk.Tool
		more bool
		err  error
	}
	result := make(chan answer, 1)
	go func() { // like a call, it may wait for a program that does not read
		list, more, err := n.pages(ctx, s.config)
		result <- answer{list, more, err}
	}()
	select {
	case a := <-result:
		if a.err != nil {
			return nil, fmt.Errorf("its tools cannot be listed: %w", a.err)
		}
		tools := s.usable(a.list, a.more)
		for i := range tools {
			tools[i].tasks = n.tasks.Tasks(n.client, tools[i].name)
		}
		return tools, nil
	case <-ctx.Done():
		if cause := context.Cause(ctx); !errors.Is(cause, context.DeadlineExceeded) {
			return nil, cause
		}
		return nil, fmt.Errorf("it has not listed its tools within %v", s.options.pace.connect)
	}
}

// pages reads the pages of a list, and returns the tools on them that may be offered; more says that
// there are others.
func (n *session) pages(ctx context.Context, of Server) (list []*sdk.Tool, more bool, err error) {
	if r := n.client.InitializeResult(); r != nil && r.Capabilities != nil && r.Capabilities.Tools == nil {
		return nil, false, nil
	}
	cursor := ""
	for range pagesMax {
		page, err := n.client.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		dropped := n.dropped.Take()
		if err != nil {
			return nil, false, err
		}
		for _, t := range slices.Concat(page.Tools, dropped) {
			if t != nil && (of.Only == nil || slices.Contains(of.Only, t.Name)) {
				list = append(list, t)
			}
		}
		if page.NextCursor == "" || len(list) > toolsMax {
			return list, page.NextCursor != "", nil
		}
		cursor = page.NextCursor
	}
	return list, true, nil
}

var errSchemas = fmt.Errorf("the schemas of the server's tools are longer than %d bytes", allSchemasBytesMax)

// usable returns the tools that can be offered, and logs those that cannot; more says that the server has
// more than the list.
func (s *server) usable(list []*sdk.Tool, more bool) []declared {
	s.mu.Lock()
	s.oddities = nil
	s.mu.Unlock()
	var tools []declared
	left, bytes := 0, 0
	for _, t := range list {
		var d declared
		var err error
		switch { // a schema that is not needed is not read: that may take long
		case len(tools) >= toolsMax:
			err = fmt.Errorf("the server has more than %d", toolsMax)
		case bytes > allSchemasBytesMax:
			err = errSchemas
		case slices.ContainsFunc(tools, func(o declared) bool { return o.name == t.Name }):
			err = errors.New("the server has two of this name")
		default:
			d, err = s.declare(t)
			if bytes += len(d.schema); err == nil && bytes > allSchemasBytesMax {
				err = errSchemas
			}
		}
		if err == nil {
			tools = append(tools, d)
		} else if left++; left <= leftOutMax {
			s.odd("a tool is left out", "tool", wording.Clip(t.Name, nameMax), "error", err)
		}
	}
	if left > leftOutMax {
		s.odd("more tools are left out", "tools", left-leftOutMax)
	}
	lacks := "the server has no tool that tools.mcp names"
	if more {
		s.odd("the server's list of tools is too long, and its end is not read", "read", len(list))
		lacks = "what is read of the server's list has no tool that tools.mcp names"
	}
	for _, name := range s.config.Only {
		if !slices.ContainsFunc(list, func(t *sdk.Tool) bool { return t.Name == name }) {
			s.odd(lacks, "tool", name)
		}
	}
	return tools
}

// odd warns of something about the server's tools, in the log and in its [State].
func (s *server) odd(what string, args ...any) {
	s.options.Log.Warn(what, append([]any{"server", s.config.Name}, args...)...)
	text := "the MCP server " + s.config.Name + ": " + what
	for i := 0; i+1 < len(args); i += 2 {
		text += fmt.Sprintf("; %v: %v", args[i], args[i+1])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.oddities = append(s.oddities, text)
}

// declare returns the declaration of a tool.
func (s *server) declare(t *sdk.Tool) (declared, error) {
	title := t.Title
	if t.Annotations != nil {
		title = cmp.Or(title, t.Annotations.Title) // until 2025-03-26 there was no other
	}
	about := wording.Clip(strings.TrimSpace(tool.Mend(cmp.Or(t.Description, title))), descriptionBytesMax)
	d := declared{server: s.config.Name, name: t.Name, description: about, effects: effects(t.Annotations)}
	if t.Name == "" {
		return d, errors.New("it has no name")
	}
	var err error
	if d.schema, err = schema(t.InputSchema); err != nil {
		return d, err
	}
	var unchecked []string
	d.checked, unchecked = parameters.Loose(d.schema)
	if _, err = s.added(d.name, d); err == nil && len(unchecked) > 0 {
		s.odd("part of a tool's schema cannot be checked", "tool", wording.Clip(t.Name, nameMax), "part", wording.Clip(strings.Join(unchecked, "; "), 300))
	}
	return d, err
}

// effects maps a server's annotations of a tool. Without annotations it is unsafe (TOL-94).
func effects(a *sdk.ToolAnnotations) fsm.ToolEffects {
	switch {
	case a == nil:
		return fsm.EffectsUnsafe
	case a.ReadOnlyHint:
		return fsm.EffectsNone
	case a.IdempotentHint:
		return fsm.EffectsIdempotent
	}
	return fsm.EffectsUnsafe
}

// schema returns the schema of a tool's arguments, which must be that of an object.
func schema(from any) (string, error) {
	if from == nil {
		return `{"type":"object"}`, nil
	}
	if why, is := from.(wire.Unreadable); is {
		return "", why
	}
	m, ok := from.(map[string]any)
	if t, given := m["type"]; !ok || given && t != "object" {
		return "", errors.New("its schema is not that of an object")
	}
	m["type"] = "object"
	delete(m, "$schema")
	b, err := json.Marshal(m)
	switch {
	case err != nil:
		return "", err
	case len(b) > schemaBytesMax:
		return "", fmt.Errorf("its schema is %d bytes long; the most is %d", len(b), schemaBytesMax)
	}
	return string(b), nil
}

// added returns a tool for the runner.
func (s *server) added(name string, d declared) (tool.Added, error) {
	decl := fsm.ToolDecl{Name: name, Server: s.config.Name, Description: d.description, Parameters: d.schema, Effects: d.effects}
	checked := decl
	checked.Parameters = d.checked
	added, err := tool.Checked(checked, func(ctx context.Context, call fsm.RunTool, a tool.Arguments) tool.Result {
		return s.call(ctx, call, d, a)
	})
	added.Decl = decl
	if d.tasks && s.options.notes != nil {
		added.Probe = s.probe
	}
	return added, err
}

// unique returns the names of tools (TOL-91): server_tool, of letters, digits, _ and -,
// at most nameMax long. If two tools would get the same name, or a name is too long or taken,
// it ends in a hash of the server's and the tool's names.
func unique(tools []declared, taken []string) []string {
	plain := make([]string, len(tools))
	uses := map[string]int{}
	for _, name := range taken {
		uses[name]++
	}
	for i, d := range tools {
		plain[i] = sanitised(d.server) + "_" + sanitised(d.name)
		uses[plain[i]]++
	}
	names := make([]string, len(tools))
	for i, d := range tools {
		names[i] = plain[i]
		if uses[plain[i]] > 1 || len(plain[i]) > nameMax {
			h := fnv.New32a()
			_, _ = h.Write([]byte(d.server + "\x00" + d.name))
			suffix := fmt.Sprintf("_%08x", h.Sum32())
			names[i] = plain[i][:min(len(plain[i]), nameMax-len(suffix))] + suffix
		}
	}
	return names
}

func sanitised(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
}
