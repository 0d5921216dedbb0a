package sim

import (
	"errors"
	"fmt"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim/disk"
)

// session performs what concerns sessions and skills. What is saved is saved at
// once, however long the answer takes.
func (w *world) session(e fsm.Effect) error {
	fact, call, service := w.scriptedSession(e)
	if service.Hangs {
		return nil
	}
	if w.backend != nil {
		real, err := w.backend.Session(e, fact)
		if err != nil {
			return err
		}
		fact = real
	}
	w.answer(call, service.Takes, fact)
	return nil
}

func (w *world) scriptedSession(e fsm.Effect) (fsm.Fact, fsm.CallID, Service) {
	switch e := e.(type) {
	case fsm.LoadSession:
		service := w.served(e, w.loading)
		var loaded fsm.Session
		if service.Fails == "" {
			loaded = w.sessions.Load(e.Session)
		}
		return engine.Outcome(e.Call).Load(loaded, service.err()), e.Call, service
	case fsm.SaveSession:
		service := w.served(e, w.saving)
		var now fsm.Session
		conflict := false
		if service.Fails == "" && !service.Hangs {
			now, conflict = w.sessions.Save(e)
		}
		return engine.Outcome(e.Call).Save(now, conflict, service.err()), e.Call, service
	case fsm.LoadSkill:
		service := w.served(e, w.skilling)
		text, err := "", service.err()
		if err == nil {
			text, err = w.plan.skill(e.Skill, e.Reference)
		}
		return engine.Outcome(e.Call).Skill(text, err), e.Call, service
	}
	return nil, 0, Service{}
}

// skill returns a skill's instructions or one of its references.
func (p *Plan) skill(name, reference string) (string, error) {
	for _, s := range p.Skills {
		if s.Name != name {
			continue
		}
		if reference == "" {
			return s.Text, nil
		}
		for _, r := range s.References {
			if r.Name == reference {
				return r.Text, nil
			}
		}
		return "", fmt.Errorf("skill %q has no reference %q", name, reference)
	}
	return "", fmt.Errorf("there is no skill %q", name)
}

// edit performs a person's edit, which no crash takes back. With MEMORY.md alone
// no session is written.
func (w *world) edit(e disk.Edit) error {
	save := w.sessions.Edit(e)
	if w.backend != nil {
		if _, err := w.backend.Session(save, fsm.SessionSaved{}); err != nil {
			return err
		}
	}
	if e.Session == "" {
		w.sessions.WriteMemoryFile(*e.MemoryFile)
	} else {
		w.sessions.Save(save)
	}
	w.sessions.Sync()
	return nil
}

// remember performs recall, embedding and store.
func (w *world) remember(e fsm.Effect) error {
	fact, call, service := w.scripted(e)
	if service.Hangs {
		return nil
	}
	if w.backend != nil {
		real, took, err := w.backend.Memory(e, fact)
		if err != nil {
			return err
		}
		fact = real
		service.Takes += took
	}
	if e, ok := e.(fsm.Embed); ok && w.server != nil && service.Fails == "" && !w.plan.NoVectors {
		return w.embed(e, service.Takes, fact)
	}
	w.answer(call, service.Takes, fact)
	return nil
}

// scripted is the simulated outcome. What is stored is stored at once, however
// long the answer takes.
func (w *world) scripted(e fsm.Effect) (fsm.Fact, fsm.CallID, Service) {
	switch e := e.(type) {
	case fsm.Recall:
		service := w.served(e, w.recalling)
		var entries []fsm.Memory
		if service.Fails == "" {
			entries = w.memory.Recall(e)
		}
		return engine.Outcome(e.Call).Recall(entries, service.err()), e.Call, service
	case fsm.Embed:
		service := w.served(e, w.embedding)
		err := service.err()
		if w.plan.NoVectors {
			err = engine.ErrNoEmbedder
		}
		return engine.Outcome(e.Call).Embed(disk.Vector(e.Text), disk.EmbeddingModel, err), e.Call, service
	case fsm.Store:
		service := w.served(e, w.storing)
		if service.Fails == "" && !service.Hangs {
			w.memory.Put(e.Entry)
		}
		return engine.Outcome(e.Call).Store(service.err()), e.Call, service
	}
	return nil, 0, Service{}
}

// served is how a call of a service goes: as the service does, or as the fault has it
// that the call meets.
func (w *world) served(e fsm.Effect, now Service) Service {
	if fault := w.meet(e); fault != nil {
		return fault.service(now)
	}
	return now
}

// err is why the service fails, or nil.
func (s Service) err() error {
	if s.Fails == "" {
		return nil
	}
	return errors.New(s.Fails)
}
