package lockstep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/skill"
	"shelly/sim"
	"shelly/sim/disk"
)

// writeSkills creates the folders of a plan's skills in a new workspace.
func writeSkills(workspace string, skills []sim.Skill) error {
	if err := os.MkdirAll(workspace, 0o700); err != nil {
		return err
	}
	for _, s := range skills {
		folder := filepath.Join(workspace, "skills", s.Name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		head := fmt.Sprintf("---\nname: %s\ndescription: %s\nalways: %t\n---\n", s.Name, strconv.Quote(cmp.Or(s.Summary, s.Name)), s.Always)
		if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(head+s.Text), 0o600); err != nil {
			return err
		}
		for _, r := range s.References {
			name := strings.TrimSuffix(r.Name, ".md") + ".md"
			if err := os.WriteFile(filepath.Join(folder, name), []byte(r.Text), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// openSkills opens all skills of a workspace.
func openSkills(workspace string) (*skill.Library, error) {
	library, problems, err := skill.Open(skill.Places(workspace, nil))
	if err == nil && len(problems) > 0 {
		err = problems[0]
	}
	return library, err
}

// memoryFile returns the path of MEMORY.md.
func (l *live) memoryFile() string { return filepath.Join(l.scratch, "memory", "MEMORY.md") }

// keep writes what a plan's store of sessions holds before the first boot.
func (l *live) keep(p *sim.Plan) error {
	if p.MemoryFile != "" {
		if err := os.WriteFile(l.memoryFile(), []byte(p.MemoryFile), 0o600); err != nil {
			return err
		}
	}
	for _, s := range p.Sessions {
		s.State.Version = 0
		save := fsm.SaveSession{Session: s.Name, Turn: "before", State: s.State, Archive: s.Archive}
		if _, conflict, err := l.sessions.Save(context.Background(), save); err != nil || conflict {
			return fmt.Errorf("cannot keep session %q: conflict %t: %w", s.Name, conflict, err)
		}
	}
	return nil
}

// Session implements [sim.Backend].
func (l *live) Session(e fsm.Effect, scripted fsm.Fact) (fsm.Fact, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	switch e := e.(type) {
	case fsm.LoadSession:
		if scripted.(fsm.SessionLoaded).Error != "" {
			return scripted, nil
		}
		state, err := l.sessions.Load(ctx, e.Session)
		return engine.Outcome(e.Call).Load(state, nil), err
	case fsm.SaveSession:
		if scripted.(fsm.SessionSaved).Error != "" {
			return scripted, nil
		}
		if e.Session == "" { // only a person's edit of the file
			return nil, os.WriteFile(l.memoryFile(), []byte(e.State.Memory), 0o600)
		}
		now, conflict, err := l.sessions.Save(ctx, e)
		if err == nil && e.Call == 0 { // somebody else's
			err = l.sync()
		}
		return engine.Outcome(e.Call).Save(now, conflict, nil), err
	case fsm.LoadSkill:
		said := scripted.(fsm.SkillLoaded)
		text, err := l.skills.Load(ctx, e.Skill, e.Reference)
		switch {
		case err != nil && said.Error == "":
			return nil, err
		case said.Error != "": // whatever the library's own words are
			return said, nil
		}
		return engine.Outcome(e.Call).Skill(text, nil), nil
	}
	return nil, fmt.Errorf("%s is not an effect of a session", fsm.EffectKind(e))
}

// saved returns the real store's record of a session.
func (l *live) saved(name string) (disk.Saved, error) {
	state, err := l.sessions.Load(context.Background(), name)
	if err != nil {
		return disk.Saved{}, err
	}
	state.Memory, state.MemoryHash, state.MemorySource = "", "", 0
	s := disk.Saved{Name: name, State: state}
	for after := uint64(0); ; {
		part, err := l.sessions.Archive(name, after, archivePart)
		if err != nil || len(part) == 0 {
			return s, err
		}
		for _, a := range part {
			s.Archive = append(s.Archive, a.Message)
			after = a.Number
		}
	}
}

// archivePart is how many messages of an archive are read at once.
const archivePart = 256

// memoryText returns MEMORY.md as the machine gets it.
func (l *live) memoryText() (string, error) {
	state, err := l.sessions.Load(context.Background(), "")
	return state.Memory, err
}

// historyText returns the content of HISTORY.md.
func (l *live) historyText() (string, error) {
	text, err := os.ReadFile(filepath.Join(l.scratch, "memory", "HISTORY.md"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), err
}

// differs describes how the real store's sessions differ from the simulated ones, or returns
// "".
func (l *live) differs(simulated *sim.Result) (string, error) {
	list, err := l.sessions.List()
	if err != nil {
		return "", err
	}
	if len(list) != len(simulated.Sessions) {
		return fmt.Sprintf("sessions\n  - simulated %d\n  + runtime   %d", len(simulated.Sessions), len(list)), nil
	}
	for _, want := range simulated.Sessions {
		got, err := l.saved(want.Name)
		if err != nil {
			return "", err
		}
		want.Turns = nil // the real store remembers only the latest one
		if a, b := shown(want), shown(got); a != b {
			return fmt.Sprintf("session %s\n  - simulated %s\n  + runtime   %s", want.Name, a, b), nil
		}
	}
	memory, err := l.memoryText()
	if err != nil {
		return "", err
	}
	if memory != simulated.MemoryFile {
		return fmt.Sprintf("MEMORY.md\n  - simulated %q\n  + runtime   %q", simulated.MemoryFile, memory), nil
	}
	return l.historyDiffers(simulated.History)
}

// shown returns a session in a form that can be compared.
func shown(s disk.Saved) string {
	wire, _ := json.Marshal(s) // texts and numbers always encode
	return string(wire)
}

// historyDiffers names the first entry that HISTORY.md does not have after the entry before it.
func (l *live) historyDiffers(entries []string) (string, error) {
	text, err := l.historyText()
	if err != nil {
		return "", err
	}
	for i, entry := range entries {
		_, rest, ok := strings.Cut(text, strings.TrimSpace(entry))
		if !ok {
			return fmt.Sprintf("HISTORY.md has no entry %d: %q", i+1, entry), nil
		}
		text = rest
	}
	return "", nil
}
