package export

import (
	"fmt"
	"reflect"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/sim/history/redact"
)

// Redact replaces secrets in every text of the record by placeholders, and pictures
// unless they are to stay (SCN-48). It is an error if the machine then takes another
// way.
func (r *Record) Redact(by *redact.Redactor, images bool) error {
	learn := texts{text: func(s string) string { by.Learn(s); return s }, image: keep}
	replace := texts{text: by.Replace, image: keep}
	if !images {
		replace.image = pictures()
	}
	for _, s := range r.Steps {
		mapped(s.Input, learn)
	}
	mapped(r.From, learn)
	mapped(r.Request, learn)

	before := r.From
	r.From, r.Request = mapped(r.From, replace), mapped(r.Request, replace)
	for i := range r.From.Handles {
		h, old := &r.From.Handles[i], &before.Handles[i]
		again(&h.Talk, old.Talk)
		again(&h.Inf.Talk, old.Inf.Talk)
	}
	return r.again(before, func(in fsm.Input) fsm.Input { return mapped(cut(in, by), replace) })
}

// cut is an input in which the parts of a kept result have no part of a secret either, where the
// result was cut (TXT-2).
func cut(in fsm.Input, by *redact.Redactor) fsm.Input {
	if fact, ok := in.Fact.(fsm.TextRead); ok {
		fact.Text = by.ReplaceCut(fact.Text, true, true)
		in.Fact = fact
	}
	if fact, ok := in.Fact.(fsm.ToolAnswered); ok && len(fact.Text)+len(fact.Kept.Tail) < fact.Kept.Bytes {
		fact.Text, fact.Kept.Tail = by.ReplaceCut(fact.Text, false, true), by.ReplaceCut(fact.Kept.Tail, true, false)
		in.Fact = fact
	}
	return in
}

// again counts and hashes a conversation again where its texts have changed.
func again(c *fsm.Conversation, before fsm.Conversation) {
	if !reflect.DeepEqual(c.Messages, before.Messages) {
		*c = c.Again()
	}
}

// again folds the record with its texts replaced. Before is the state that it was read
// from.
func (r *Record) again(before state.Snapshot, replaced func(fsm.Input) fsm.Input) error {
	answers, now := r.answering(before), &r.From
	inputs := func(yield func(fsm.Input) bool) {
		for i := range r.Steps {
			if !yield(rekeyed(replaced(r.Steps[i].Input), now, answers[i])) {
				return
			}
		}
	}
	for i, f := range engine.FoldInputs(r.From, inputs) {
		s := &r.Steps[i]
		if !slices.Equal(f.Moves, s.Moves) || !slices.EqualFunc(f.Caused, s.Effects, sameKind) {
			return fmt.Errorf("record %d: with its secrets replaced the machine decides differently; the decision depends on a secret or an image", s.Index)
		}
		s.Input, s.Effects = f.Input, f.Caused
		now = f.Machine.View()
	}
	return nil
}

// answering says of each step whether it decides the question that is open then.
func (r *Record) answering(from state.Snapshot) []bool {
	answers, now := make([]bool, len(r.Steps)), &from
	inputs := func(yield func(fsm.Input) bool) {
		for i, s := range r.Steps {
			d, _ := s.Input.Fact.(fsm.Decided)
			open, asked := asks(now, d.Handle)
			answers[i] = asked && open.Key == d.Key
			if !yield(s.Input) {
				return
			}
		}
	}
	for _, f := range engine.FoldInputs(from, inputs) {
		now = f.Machine.View()
	}
	return answers
}

// rekeyed gives a decision of the open question the name that it has with the texts
// replaced: what is asked and said are parts of it (TOL-8).
func rekeyed(in fsm.Input, now *state.Snapshot, answers bool) fsm.Input {
	if d, ok := in.Fact.(fsm.Decided); ok && answers {
		if same, asked := asks(now, d.Handle); asked {
			d.Key = same.Key
			in.Fact = d
		}
	}
	return in
}

func asks(s *state.Snapshot, id fsm.HandleID) (fsm.AskPerson, bool) {
	if i := s.IndexOf(id); i >= 0 {
		return s.Handles[i].Asks()
	}
	return fsm.AskPerson{}, false
}

func sameKind(a, b fsm.Effect) bool { return fsm.EffectKind(a) == fsm.EffectKind(b) }

// texts is what becomes of texts and of images.
type texts struct {
	text  func(string) string
	image func([]byte) []byte
}

func keep(b []byte) []byte { return b }

// pictures gives each image a text in its place, the same image the same one.
func pictures() func([]byte) []byte {
	var known []string
	return func(image []byte) []byte {
		i := slices.Index(known, string(image))
		if i < 0 {
			i = len(known)
			known = append(known, string(image))
		}
		return fmt.Appendf(nil, "[image-%d, %d bytes]", i+1, len(image))
	}
}

// mapped returns a copy of plain data with its texts and images replaced. Nothing of
// the copy is shared with v.
func mapped[T any](v T, by texts) T {
	out, _ := by.copy(reflect.ValueOf(v)).Interface().(T) // a copy has the type of what it is of
	return out
}

func (by texts) copy(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(by.text(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue // a conversation's hashes
			}
			switch images, ok := v.Field(i).Interface().([][]byte); {
			case ok:
				out.Field(i).Set(reflect.ValueOf(by.images(images)))
			default:
				out.Field(i).Set(by.copy(v.Field(i)))
			}
		}
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(by.copy(v.Elem()))
		}
	case reflect.Slice:
		if v.IsNil() {
			break
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(by.copy(v.Index(i)))
		}
	}
	return out
}

func (by texts) images(list [][]byte) [][]byte {
	if list == nil {
		return nil
	}
	out := make([][]byte, len(list))
	for i := range list {
		out[i] = by.image(list[i])
	}
	return out
}
