package server

import (
	"cmp"
	"slices"

	"shelly/fsm"
)

// Call is one question to a model.
type Call struct {
	ID     uint64 // names it; no two calls that are under way share one
	Model  string
	Prompt string // rendered
	Answer string // what the model writes, as [Written] has it
	Limit  int    // tokens that the answer may have (num_predict); 0: as many as it has
	Embeds bool   // the prompt is read for its vector: nothing is written, and its slot holds nothing else
	Loads  bool   // nothing is asked: the model is loaded, and no slot is taken
}

// Served is how a call goes. Times are those of whoever drives the server.
type Served struct {
	ID      uint64
	Asked   fsm.Millis // when it came
	Begun   fsm.Millis // when it had a slot; the wait for one and for another model to leave is before it
	Loaded  fsm.Millis // when its model could be asked
	First   fsm.Millis // when the prompt was read, and the first token written
	Last    fsm.Millis // when it was over
	Prompt  int        // tokens of the prompt
	Read    int        // those of them that its slot did not hold
	Written int        // tokens of the answer
	Refused bool       // the prompt is longer than the window: nothing was read
	Cut     bool       // the answer is longer than its limit or the window: so much was written
}

// Server serves models in the order in which they are asked for.
type Server struct {
	config Config
	models []*model // loaded, or being loaded
	queue  []arrival
	runs   []run
}

type arrival struct {
	Call
	at fsm.Millis
}

type model struct {
	name  string
	ready fsm.Millis // loaded
	used  fsm.Millis // the end of its last call
	slots []slot
}

type slot struct {
	held string // the text whose tokens it holds
	busy bool
	used fsm.Millis
}

// run is a call that has a slot.
type run struct {
	call      Call
	served    Served
	model     *model
	slot      int
	kept      int // bytes of the prompt that the slot held
	estimated int // tokens of what is written of the answer, as estimated
}

// New returns a server with no model loaded.
func New(c Config) *Server { return &Server{config: c} }

// Ask brings a call, and returns the calls that begin now.
func (s *Server) Ask(now fsm.Millis, c Call) []Served {
	s.expire(now)
	s.queue = append(s.queue, arrival{c, now})
	return s.begin(now)
}

// Go sets how many tokens are read and written a second by calls that begin from now on; 0: as many
// as before.
func (s *Server) Go(reads, writes int) {
	s.config.Reads, s.config.Writes = cmp.Or(reads, s.config.Reads), cmp.Or(writes, s.config.Writes)
}

// End tells that a call is over, because its last token was written or because
// whoever asked has left, and returns the calls that begin now. A call that is not
// known is none that could end.
func (s *Server) End(now fsm.Millis, id uint64) []Served {
	s.queue = slices.DeleteFunc(s.queue, func(a arrival) bool { return a.ID == id })
	for i, r := range s.runs {
		if r.call.ID == id {
			r.leave(now)
			s.runs = slices.Delete(s.runs, i, i+1)
			break
		}
	}
	return s.begin(now)
}

// Unload unloads a model that serves no call, as a client wants it.
func (s *Server) Unload(name string) {
	s.models = slices.DeleteFunc(s.models, func(m *model) bool { return m.name == name && !m.busy() })
}

// Loaded names the models that are loaded or being loaded.
func (s *Server) Loaded(now fsm.Millis) []string {
	s.expire(now)
	var names []string
	for _, m := range s.models {
		names = append(names, m.name)
	}
	return names
}

// begin gives slots to those that wait. A call of a loaded model waits for that
// model's slots alone; one that must wait for another model to leave holds up
// all after it, as a real server's does.
func (s *Server) begin(now fsm.Millis) []Served {
	var begun []Served
	for i := 0; i < len(s.queue); {
		a := s.queue[i]
		m := s.model(a.Model)
		if m == nil && !s.load(now, a.Model) {
			break
		}
		m = s.model(a.Model)
		if a.Loads {
			s.queue = slices.Delete(s.queue, i, i+1)
			begun = append(begun, m.loaded(now, a))
			continue
		}
		n := m.free(a.Prompt)
		if n < 0 {
			i++
			continue
		}
		s.queue = slices.Delete(s.queue, i, i+1)
		begun = append(begun, s.serve(now, a, m, n))
	}
	return begun
}

// loaded is a call that only loads the model: it is over once that is done, and slots keep
// what they hold.
func (m *model) loaded(now fsm.Millis, a arrival) Served {
	at := max(now, m.ready)
	m.used = at
	return Served{ID: a.ID, Asked: a.at, Begun: now, Loaded: at, First: at, Last: at}
}

// serve gives a call a slot.
func (s *Server) serve(now fsm.Millis, a arrival, m *model, n int) Served {
	held := ""
	if !a.Embeds {
		held = Shared(m.slots[n].held, a.Prompt)
	}
	v := Served{ID: a.ID, Asked: a.at, Begun: now, Loaded: max(now, m.ready), Prompt: s.config.counts(Tokens(a.Prompt))}
	if s.config.Window > 0 && v.Prompt > s.config.Window {
		v.Refused, v.First, v.Last = true, v.Loaded, v.Loaded
	} else {
		v.Read = max(v.Prompt-s.config.counts(Tokens(held)), min(v.Prompt, 1)) // the last token is always read
		v.First = v.Loaded + takes(v.Read, s.config.Reads)
		v.Written, v.Cut = s.fits(a.Call, v.Prompt)
		v.Last = v.First + takes(v.Written, s.config.Writes)
	}
	m.slots[n].busy = true
	s.runs = append(s.runs, run{call: a.Call, served: v, model: m, slot: n, kept: len(held), estimated: s.config.Estimated(v.Written)})
	return v
}

// fits is how many tokens of an answer there is room for (SIM-22).
func (s *Server) fits(c Call, prompt int) (written int, cut bool) {
	written = s.config.counts(Tokens(c.Answer))
	room := written
	if c.Limit > 0 {
		room = min(room, c.Limit)
	}
	if s.config.Window > 0 {
		room = min(room, s.config.Window-prompt)
	}
	return room, room < written
}

// leave gives the slot back. It holds what was read and written until now.
func (r *run) leave(now fsm.Millis) {
	sl := &r.model.slots[r.slot]
	sl.busy, sl.used = false, now
	r.model.used = max(now, r.model.ready)
	c, v := r.call, r.served
	if c.Embeds {
		sl.held = "" // a real server keeps the text, of which no prompt is the beginning
		return
	}
	if v.Refused {
		return
	}
	if now < v.First {
		sl.held = cut(c.Prompt, r.kept+part(len(c.Prompt)-r.kept, now-v.Loaded, v.First-v.Loaded))
		return
	}
	answer := First(c.Answer, r.estimated)
	sl.held = c.Prompt + cut(answer, part(len(answer), now-v.First, v.Last-v.First))
}

// part is what of so much is done after a part of the time that all of it takes.
func part(all int, done, takes fsm.Millis) int {
	switch {
	case done >= takes:
		return all
	case done <= 0:
		return 0
	}
	return int(fsm.Millis(all) * done / takes)
}

// free returns the slot that serves a prompt: of those that nobody uses the one that
// holds most of it, else the one that was used longest ago; -1 where there is none.
func (m *model) free(prompt string) int {
	best, most := -1, 0
	for i := range m.slots {
		sl := &m.slots[i]
		if sl.busy {
			continue
		}
		n := len(Shared(sl.held, prompt))
		if best < 0 || n > most || n == most && sl.used < m.slots[best].used {
			best, most = i, n
		}
	}
	return best
}

// load begins to load a model, for which another may have to leave; false while none
// can.
func (s *Server) load(now fsm.Millis, name string) bool {
	if s.config.Models > 0 && len(s.models) >= s.config.Models {
		out := -1
		for i, m := range s.models {
			if !m.busy() && (out < 0 || m.used < s.models[out].used) {
				out = i
			}
		}
		if out < 0 {
			return false
		}
		s.models = slices.Delete(s.models, out, out+1)
	}
	ready := now + s.config.Loads
	s.models = append(s.models, &model{name: name, ready: ready, used: ready, slots: make([]slot, s.config.slots())})
	return true
}

func (s *Server) model(name string) *model {
	for _, m := range s.models {
		if m.name == name {
			return m
		}
	}
	return nil
}

func (m *model) busy() bool {
	return slices.ContainsFunc(m.slots, func(sl slot) bool { return sl.busy })
}

// expire unloads what nobody has asked for long.
func (s *Server) expire(now fsm.Millis) {
	if s.config.Keeps <= 0 {
		return
	}
	s.models = slices.DeleteFunc(s.models, func(m *model) bool { return !m.busy() && now-m.used >= s.config.Keeps })
}
