package textcall

import (
	"strings"

	"shelly/fsm/textcall/mend"
)

// family is a mark that begins calls, the mark that ends them, and the forms between.
type family struct {
	open  string
	close string // empty: they go on to the end of the text, or to the next open
	forms []form
}

// keeps reports whether the opening mark is part of what is read.
func (f family) keeps() bool {
	return f.open == "<function=" || f.open == "<invoke" || f.open == "functools["
}

// read reads one call after another, each with one, which returns what comes after it. The last may
// have no end mark: its content is read whole or not at all.
func (f family) read(s string, one func(string) ([]Call, string)) []Call {
	if f.keeps() {
		return f.body(s)
	}
	var calls []Call
	for s != "" {
		rest, ok := strings.CutPrefix(s, f.open)
		if !ok {
			return nil
		}
		more, rest := one(rest)
		if len(more) == 0 {
			return nil
		}
		calls = append(calls, more...)
		s = strings.TrimSpace(rest)
	}
	return calls
}

// readMended reads as read does. Besides, a call may be in a fence; one bracket may be missing
// before the end mark; and the mark that begins a call may stand where the one that ends it is
// meant.
func (f family) readMended(s string, as mend.Backslashes) []Call {
	return f.read(strings.TrimSpace(strings.TrimSuffix(s, f.open)), func(s string) ([]Call, string) { return f.first(s, as) })
}

// strict reads what the first mark begins, up to the mark that ends it.
func (f family) strict(s string) (calls []Call, after string) {
	body, after := f.cut(s)
	return f.body(strings.TrimSpace(body)), after
}

// first reads what the first mark begins, up to the mark that ends it or begins the next; or, if
// that is in one of its values, up to the end mark. So that a long text is read once, it is cut
// where it can be before it is searched for its end.
func (f family) first(s string, as mend.Backslashes) (calls []Call, after string) {
	if next := strings.Index(s, f.open); next >= 0 {
		head := s[:next]
		if f.close == "" || !strings.Contains(head, f.close) {
			if calls := f.loose(head); len(calls) > 0 {
				return calls, s[next:]
			}
		}
	}
	body, after := f.cut(s)
	if calls = f.loose(body); len(calls) == 0 && len(body) < len(s) && f.close != "" {
		calls = f.body(mend.Closed(strings.TrimSpace(body), as))
	}
	return calls, after
}

// cut splits a text at the end of a call. An end mark inside a value is not skipped: then
// the part before it cannot be read, and the text is not a call.
func (f family) cut(s string) (body, rest string) {
	if f.close != "" {
		body, rest, _ = strings.Cut(s, f.close)
		return body, rest
	}
	if i := strings.Index(s, f.open); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// loose reads a call that may be in a fence.
func (f family) loose(s string) []Call {
	s = strings.TrimSpace(s)
	if calls := f.body(s); len(calls) > 0 {
		return calls
	}
	return f.body(unfenced(s))
}

func (f family) body(s string) []Call {
	for _, form := range f.forms {
		if calls, ok := form(s); ok {
			return calls
		}
	}
	return nil
}
