// Package scratch makes the workspaces of cases with "tools: real": for each a temporary folder
// with the case's files, in which the daemon's file tools work.
package scratch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file"
	"shelly/sim"
)

// Workshop returns these tools and the function that opens a workspace for a case.
func Workshop() *sim.Workshop {
	open := func(name, profile string, files []sim.Thing) (sim.Workspace, error) {
		s, err := openWorkspace(name, profile, files)
		if err != nil {
			return nil, fmt.Errorf("cannot make a scratch workspace: %w", err)
		}
		return s, nil
	}
	return &sim.Workshop{Tools: file.Declarations(), Open: open}
}

// workspace is a case's own workspace with the real tools in it (SCN-30).
type workspace struct {
	dir   string
	files *file.Tools
	tools *tool.Runner
}

func openWorkspace(name, profile string, files []sim.Thing) (_ *workspace, err error) {
	s := &workspace{}
	if s.dir, err = os.MkdirTemp("", "shelly-workspace-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(s.dir)
		}
	}()
	for _, f := range files {
		if err := s.put(f); err != nil {
			return nil, err
		}
	}
	as := config.Builtin(profile).Tools
	s.files, err = file.Open(file.Options{
		Workspace: s.dir, KnownAs: name, ReadBytesMax: int(as.ReadBytesMax), ResultBytesMax: int(as.ResultBytesMax),
	})
	if err != nil {
		return nil, err
	}
	added, err := s.files.Added()
	if err != nil {
		return nil, err
	}
	s.tools, err = tool.New(tool.Options{Workspace: s.dir, ResultBytesMax: int(as.ResultBytesMax), Added: added})
	return s, err
}

func (s *workspace) put(f sim.Thing) error {
	var text string
	if err := json.Unmarshal([]byte(f.Data), &text); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	at := filepath.Join(s.dir, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	return os.WriteFile(at, []byte(text), 0o600)
}

// Run implements [sim.Workspace].
func (s *workspace) Run(run fsm.RunTool) fsm.ToolAnswered {
	return s.tools.Run(context.Background(), run)
}

// Probe implements [sim.Workspace].
func (s *workspace) Probe(e fsm.RunProbe) fsm.Probed { return s.tools.Probe(context.Background(), e) }

// Files implements [sim.Workspace].
func (s *workspace) Files() (files []sim.Thing, err error) {
	root := os.DirFS(s.dir)
	err = fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		text, err := json.Marshal(string(content))
		files = append(files, sim.Thing{Name: path, Data: string(text)})
		return err
	})
	return files, err
}

// Close implements [sim.Workspace].
func (s *workspace) Close() error { return errors.Join(s.files.Close(), os.RemoveAll(s.dir)) }
