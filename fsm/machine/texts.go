package machine

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/fit"
	"shelly/fsm/state"
)

// keep returns what becomes of a long result of the call that is about to start (TXT-1).
func (m *Machine) keep(h *state.Handle) fsm.Keep {
	if _, ok := m.declared(h, fsm.ToolReadMore); !ok {
		return fsm.Keep{}
	}
	return fsm.Keep{Tokens: fit.Share(&m.s.Config, h), Owner: textsOf(h)}
}

// textsOf returns who owns the results that a handle keeps: its session or, if it keeps
// none, the handle.
func textsOf(h *state.Handle) string {
	if h.Loaded {
		return fsm.SessionOwner(h.Session)
	}
	return fsm.HandleOwner(h.ID)
}

// admitted gives a result that is kept its number (TXT-4), and words it. The session that
// it returns is the handle's with the result added.
func (m *Machine) admitted(h *state.Handle, in fsm.ToolAnswered) (text string, s fsm.Session, shown fsm.Part) {
	s = h.Sess
	number := 0
	if in.Kept.Ref != "" {
		if number = s.Keep(in.Kept, m.s.Config.Limits.MaxTextBytes); number > 0 {
			shown = fsm.Part{Result: number, To: in.Kept.Bytes}
		}
	}
	in.Text = m.s.Config.Words.Result(in.Text, in.Kept, number)
	return m.resultText(in), s, shown
}

// admitReads does the same for the calls of a batch that have been answered, in the order
// asked.
func (m *Machine) admitReads(h *state.Handle) {
	for k := range h.Inf.Batch {
		if r := &h.Inf.Batch[k]; r.Kept.Ref != "" {
			r.Text, h.Sess, r.Shows = m.admitted(h, fsm.ToolAnswered{Text: r.Text, Failed: r.Failed, Kept: r.Kept})
			r.Kept = fsm.Kept{}
		}
	}
}

// readMore asks for more of a kept result (TXT-5). It returns false with what is wrong, or
// that the result is no longer kept.
func (m *Machine) readMore(h *state.Handle) (string, bool) {
	number, from, bad := m.wanted(h)
	if bad != "" {
		return bad, false
	}
	t, ok := fsm.KeptAs(h.Sess.Texts, number)
	switch {
	case !ok && number > 0 && number <= h.Sess.LastText:
		return m.word(fsm.WordTextGone, "result", strconv.Itoa(number)), false
	case !ok && len(h.Sess.Texts) == 0:
		return m.word(fsm.WordTextNone, "result", strconv.Itoa(number)), false
	case !ok:
		return m.word(fsm.WordTextUnknown, "result", strconv.Itoa(number), "results", numbersOf(h.Sess.Texts)), false
	case from < 0 || from >= t.Bytes:
		return m.word(fsm.WordTextFrom, "result", strconv.Itoa(number), "last", strconv.Itoa(t.Bytes-1)), false
	}
	m.emit(fsm.ReadText{Asked: fsm.Asked{Call: m.await(h, fsm.CallText), Handle: h.ID}, Owner: textsOf(h), Ref: t.Ref, From: from, Tokens: fit.Share(&m.s.Config, h)})
	return "", true
}

// wanted reads the arguments of read_more. A number in quotes is accepted.
func (m *Machine) wanted(h *state.Handle) (number, from int, bad string) {
	var args struct {
		Result json.Number `json:"result"`
		From   json.Number `json:"from"`
	}
	if bad := m.arguments(h, &args); bad != "" {
		return 0, 0, bad
	}
	if args.Result == "" {
		return 0, 0, m.word(fsm.WordMissingArgument, "argument", "result")
	}
	number, failed := strconv.Atoi(args.Result.String())
	if args.From != "" && failed == nil {
		from, failed = strconv.Atoi(args.From.String())
	}
	if failed != nil {
		return 0, 0, m.word(fsm.WordArgumentsNoFit)
	}
	return number, from, ""
}

// textRead gives read_more its result: what was read, and where to go on.
func (m *Machine) textRead(h *state.Handle, in fsm.TextRead) firing {
	number, _, _ := m.wanted(h) // they were readable before the call
	result := strconv.Itoa(number)
	t, ok := fsm.KeptAs(h.Sess.Texts, number)
	switch {
	case in.Error != "":
		return m.ran(m.failed(fsm.WordTextUnread, "result", result, "reason", in.Error), true)
	case in.Gone || !ok:
		return m.ran(m.failed(fsm.WordTextGone, "result", result), true)
	}
	to, word := in.From+len(in.Text), fsm.WordTextRead
	if to >= t.Bytes {
		word = fsm.WordTextReadEnd
	}
	text := m.word(word, "text", in.Text, "from", strconv.Itoa(in.From), "to", strconv.Itoa(to), "bytes", strconv.Itoa(t.Bytes), "result", result)
	return m.ran(text, false).after(func(h *state.Handle) { h.Inf.Shows = fsm.Part{Result: number, From: in.From, To: to} })
}

// failed returns the result of a call that failed, in the given words.
func (m *Machine) failed(w fsm.Word, args ...string) string {
	return m.word(fsm.WordError, "reason", m.word(w, args...))
}

// numbersOf lists the numbers of texts in ascending order.
func numbersOf(texts []fsm.KeptText) string {
	var numbers []int
	for _, t := range texts {
		numbers = append(numbers, t.Number)
	}
	slices.Sort(numbers)
	var list []string
	for _, n := range numbers {
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(list, ", ")
}
