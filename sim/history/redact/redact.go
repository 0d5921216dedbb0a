package redact

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// BytesMin is how long a secret is at least that is looked for everywhere. What is
// shorter would be found in words that are none.
const BytesMin = 8

// givenBytesMin is the same for a secret that somebody names.
const givenBytesMin = 4

// lineBytesMin is how long a line of a secret of several lines is at least that is
// looked for by itself.
const lineBytesMin = 16

// Secret is a text that must not be written. Kind says in words what it is, and goes
// into reports.
type Secret struct {
	Kind string
	Text string
}

// Redactor knows secrets and replaces them.
type Redactor struct {
	patterns []pattern
	secrets  []Secret
	forms    []form // the longest first, so that a form within another does not break it
	replaced []int  // of each secret, how often
	inPlace  tally
}

// Count is how many texts of a kind were replaced.
type Count struct {
	Kind  string `json:"kind"`
	Times int    `json:"times"`
}

// tally counts by kind, in the order in which the kinds came.
type tally []Count

func (t *tally) add(kind string, times int) {
	i := slices.IndexFunc(*t, func(c Count) bool { return c.Kind == kind })
	switch {
	case times == 0:
	case i < 0:
		*t = append(*t, Count{kind, times})
	default:
		(*t)[i].Times += times
	}
}

// form is one way in which a secret is written.
type form struct {
	text   string
	secret int // its index
}

// New returns a redactor that knows some secrets. Those that are too short to be told
// from words are left out; [TooShort] says which. So is what a placeholder may be.
func New(known ...Secret) *Redactor {
	r := &Redactor{patterns: patterns()}
	for _, s := range known {
		if TooShort(s.Text) || isPlaceholder(strings.TrimSpace(s.Text)) { // xxxxxxxx is what people set where no key is asked
			continue
		}
		r.add(s)
		for line := range strings.Lines(s.Text) { // which may be indented or quoted
			if len(strings.TrimSpace(line)) >= lineBytesMin && strings.Contains(s.Text, "\n") {
				r.add(Secret{s.Kind, line})
			}
		}
	}
	return r
}

// TooShort reports whether a text is too short to be looked for.
func TooShort(text string) bool { return len(strings.TrimSpace(text)) < givenBytesMin }

// add knows one more secret, in all its forms.
func (r *Redactor) add(s Secret) {
	s.Text = strings.TrimSpace(s.Text)
	if slices.ContainsFunc(r.secrets, func(o Secret) bool { return o.Text == s.Text }) {
		return
	}
	for _, text := range formsOf(s.Text) {
		r.forms = append(r.forms, form{text, len(r.secrets)})
	}
	slices.SortStableFunc(r.forms, func(a, b form) int { return cmp.Compare(len(b.text), len(a.text)) })
	r.secrets, r.replaced = append(r.secrets, s), append(r.replaced, 0)
}

// Learn looks for credentials that are known by their shape, so that [Redactor.Replace]
// finds them in every text and form. A password that may be a word is replaced only
// where it is called one.
func (r *Redactor) Learn(text string) {
	r.learn(text)
	for v := range levels(text, false) {
		r.learn(string(v.text))
	}
}

func (r *Redactor) learn(text string) {
	small := lower(text)
	for _, p := range r.patterns {
		for _, at := range p.find(text, small) {
			found := text[at[0]:at[1]]
			word := p.kind == assignment && strings.Trim(strings.ToLower(found), "abcdefghijklmnopqrstuvwxyz.!?:-") == ""
			if len(found) >= BytesMin && !word && !isPlaceholder(found) {
				r.add(Secret{p.kind, found})
			}
		}
	}
}

// Replace returns the text with a placeholder of the same number of bytes in place of
// each secret.
func (r *Redactor) Replace(text string) string {
	for _, f := range r.forms {
		if n := strings.Count(text, f.text); n > 0 {
			r.replaced[f.secret] += n
			text = strings.ReplaceAll(text, f.text, r.placeholder(f.secret, len(f.text)))
		}
	}
	if _, found := r.inViews(text); found {
		for v := range views(text, true) {
			text = r.replaceIn(v, text)
		}
	}
	if _, found := r.shapedInLevels(text); found {
		for v := range levels(text, true) {
			text = r.withinView(v, text)
		}
	}
	small := lower(text)
	for _, p := range r.patterns {
		if after := r.within(p, text, small); after != text {
			text, small = after, lower(after)
		}
	}
	return text
}

// replaceIn replaces in the text what a view of it shows.
func (r *Redactor) replaceIn(v view, text string) string {
	var out []byte
	for _, f := range r.shownIn(v) {
		for from := 0; ; {
			i := bytes.Index(v.text[from:], []byte(f.text))
			if i < 0 {
				break
			}
			from += i
			to := from + len(f.text)
			if out == nil {
				out = []byte(text)
			}
			begin, end := v.spans[from].begin, v.spans[to-1].end
			if put := r.placeholder(f.secret, end-begin); string(out[begin:end]) != put {
				copy(out[begin:], put)
				r.replaced[f.secret]++
			}
			copy(v.text[from:], r.placeholder(f.secret, len(f.text)))
			from = to
		}
	}
	if out == nil {
		return text
	}
	return string(out)
}

// shownIn are the forms that a view may show: where lines are joined, two halves of words make
// what is short.
func (r *Redactor) shownIn(v view) []form {
	if !v.lines {
		return r.forms
	}
	short := slices.IndexFunc(r.forms, func(f form) bool { return len(f.text) < BytesMin })
	if short < 0 {
		return r.forms
	}
	return r.forms[:short]
}

// placeholder is what stands for a secret in a text; it has no known one itself, such as the word secret.
func (r *Redactor) placeholder(secret, bytes int) string {
	put := placeholder(secret+1, bytes)
	if slices.ContainsFunc(r.forms, func(f form) bool { return strings.Contains(put, f.text) }) {
		return filled("[", bytes)
	}
	return put
}

// within replaces what a pattern finds that is too short to be looked for elsewhere.
func (r *Redactor) within(p pattern, text, small string) string {
	var b strings.Builder
	from := 0
	for _, at := range p.find(text, small) {
		if isPlaceholder(text[at[0]:at[1]]) {
			continue
		}
		b.WriteString(text[from:at[0]])
		b.WriteString(filled("[s", at[1]-at[0]))
		from = at[1]
		r.inPlace.add(p.kind, r.uncounted(text[at[0]:at[1]]))
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// withinView is within for what a view of the text shows.
func (r *Redactor) withinView(v view, text string) string {
	out, read := []byte(text), string(v.text)
	small := lower(read)
	for _, p := range r.patterns {
		for _, at := range p.find(read, small) {
			if isPlaceholder(read[at[0]:at[1]]) {
				continue
			}
			begin, end := v.spans[at[0]].begin, v.spans[at[1]-1].end
			copy(out[begin:], filled("[s", end-begin))
			r.inPlace.add(p.kind, r.uncounted(read[at[0]:at[1]]))
			copy(v.text[at[0]:], filled("[s", at[1]-at[0]))
		}
		if after := string(v.text); after != read {
			read, small = after, lower(after)
		}
	}
	return string(out)
}

// uncounted is 1, or 0 where part of what a pattern finds was a known secret, which was counted when it was
// replaced.
func (r *Redactor) uncounted(found string) int {
	if hasPlaceholder(found) && slices.ContainsFunc(r.replaced, func(n int) bool { return n > 0 }) {
		return 0
	}
	return 1
}

// Known returns the kind of a known secret that is in the text in one of its forms, or
// false.
func (r *Redactor) Known(text string) (kind string, found bool) {
	for _, f := range r.forms {
		if strings.Contains(text, f.text) {
			return r.secrets[f.secret].Kind, true
		}
	}
	return r.inViews(text)
}

// inViews is Known for the other ways in which a text reads.
func (r *Redactor) inViews(text string) (kind string, found bool) {
	for v := range views(text, false) {
		for _, f := range r.shownIn(v) {
			if bytes.Contains(v.text, []byte(f.text)) {
				return r.secrets[f.secret].Kind, true
			}
		}
	}
	return "", false
}

// Find is Known, and looks for credentials of a known shape as well.
func (r *Redactor) Find(text string) (kind string, found bool) {
	if kind, found := r.Known(text); found {
		return kind, true
	}
	if kind, found := r.shaped(text); found {
		return kind, true
	}
	return r.shapedInLevels(text)
}

// shaped returns the kind of the first credential of a known shape in the text, or false.
func (r *Redactor) shaped(text string) (kind string, found bool) {
	small := lower(text)
	for _, p := range r.patterns {
		for _, at := range p.find(text, small) {
			if !isPlaceholder(text[at[0]:at[1]]) {
				return p.kind, true
			}
		}
	}
	return "", false
}

// shapedInLevels is shaped for the text without its escapes.
func (r *Redactor) shapedInLevels(text string) (kind string, found bool) {
	for v := range levels(text, false) {
		if kind, found = r.shaped(string(v.text)); found {
			return kind, true
		}
	}
	return "", false
}

// Counts returns how many texts were replaced, by kind, in the order in which the kinds
// became known.
func (r *Redactor) Counts() []Count {
	var all tally
	for i, s := range r.secrets {
		all.add(s.Kind, r.replaced[i])
	}
	for _, c := range r.inPlace {
		all.add(c.Kind, c.Times)
	}
	return all
}

// NamesSecret reports whether something of this name, such as an environment variable
// or a setting, is taken for a secret.
func NamesSecret(name string) bool {
	name = lower(name)
	has := func(part string) bool { return strings.Contains(name, part) }
	switch {
	case slices.ContainsFunc([]string{"secret", "passw", "passphrase", "credential", "cookie"}, has):
		return true
	case slices.ContainsFunc([]string{"api", "private", "access"}, func(of string) bool { return has(of+"key") || has(of+"_key") }):
		return true
	case name == "pat", strings.HasSuffix(name, "_pat"):
		return true
	}
	return strings.Contains(strings.ReplaceAll(name, "tokens", " "), "token") // several are a number of them
}
