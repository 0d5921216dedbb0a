package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim/disk"
)

// called is the row of a call of a service: what it simulates, or the backend does for
// real. What is stored or saved is so at once, however long the answer takes.
func called[E fsm.Call](
	real func(Backend, fsm.Effect, fsm.Fact) (fsm.Fact, fsm.Millis, error), simulate func(*world, E) (fsm.Fact, Service),
) fsm.EffectRow[*world, error] {
	return fsm.OnEffect(func(w *world, e E) error {
		fact, service := simulate(w, e)
		if service.Hangs {
			return nil
		}
		if w.backend != nil {
			done, took, err := real(w.backend, e, fact)
			if err != nil {
				return err
			}
			fact = done
			service.Takes += took
		}
		if service.embeds != "" && service.Fails == "" {
			return w.embed(fsm.CallOf(e), service.embeds, service.Takes, fact)
		}
		w.answer(fsm.CallOf(e), service.Takes, fact)
		return nil
	})
}

// session is what a backend does with a session or a skill, which takes no time of its own.
func session(b Backend, e fsm.Effect, scripted fsm.Fact) (fsm.Fact, fsm.Millis, error) {
	fact, err := b.Session(e, scripted)
	return fact, 0, err
}

func (w *world) loaded(e fsm.LoadSession) (fsm.Fact, Service) {
	service := w.served(e, w.loading)
	var loaded fsm.Session
	if service.Fails == "" {
		loaded = w.sessions.Load(e.Session)
	}
	return engine.Outcome(e.Call).Load(loaded, service.err()), service
}

func (w *world) saved(e fsm.SaveSession) (fsm.Fact, Service) {
	service := w.served(e, w.saving)
	var now fsm.Session
	conflict := false
	if service.Fails == "" && !service.Hangs {
		now, conflict = w.sessions.Save(e)
	}
	return engine.Outcome(e.Call).Save(now, conflict, service.err()), service
}

func (w *world) skillLoaded(e fsm.LoadSkill) (fsm.Fact, Service) {
	service := w.served(e, w.skilling)
	text, err := "", service.err()
	if err == nil {
		text, err = w.plan.skill(e.Skill, e.Reference)
	}
	return engine.Outcome(e.Call).Skill(text, err), service
}

func (w *world) recalled(e fsm.Recall) (fsm.Fact, Service) {
	service := w.served(e, w.recalling)
	service.embeds = w.embeds(e.Need, e.Spare)
	var entries []fsm.Memory
	if service.Fails == "" {
		entries = w.memory.Recall(e)
	}
	return engine.Outcome(e.Call).Recall(entries, service.err()), service
}

func (w *world) embedded(e fsm.Embed) (fsm.Fact, Service) {
	service := w.served(e, w.embedding)
	service.embeds = w.embeds(e.Text, e.Spare)
	err := service.err()
	switch {
	case w.plan.NoVectors:
		err = engine.ErrNoEmbedder
	case e.Spare && w.apart():
		err = engine.ErrSpared
	}
	return engine.Outcome(e.Call).Embed(disk.Vector(e.Text), disk.EmbeddingModel, err), service
}

// apart reports whether the server unloads the chat model for an embedding.
func (w *world) apart() bool { return w.server != nil && w.plan.Server.Models == 1 }

// embeds is the text that the server's embedding model reads for a call, or none (SIM-25).
func (w *world) embeds(text string, spare bool) string {
	if w.server == nil || w.plan.NoVectors || spare && w.apart() {
		return ""
	}
	return text
}

func (w *world) stored(e fsm.Store) (fsm.Fact, Service) {
	service := w.served(e, w.storing)
	if service.Fails == "" && !service.Hangs {
		w.memory.Put(e.Entry)
	}
	return engine.Outcome(e.Call).Store(service.err()), service
}

// skill returns a skill's instructions or one of its references.
func (p *Plan) skill(name, reference string) (string, error) {
	for i := range p.Skills {
		s := &p.Skills[i]
		if s.Name != name {
			continue
		}
		if reference == "" {
			return s.loaded(), nil
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

// loaded is what is loaded of a skill, whose references are files of its folder (SKL-10).
func (s *Skill) loaded() string {
	var files []string
	for _, r := range s.References {
		files = append(files, strings.TrimSuffix(r.Name, ".md")+".md")
	}
	slices.Sort(files)
	return engine.SkillText(s.Text, "skills/"+s.Name, files)
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
