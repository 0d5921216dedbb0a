package fsm

import (
	"cmp"
	"encoding/json"
	"strings"
)

// Words are the texts of an epoch, by [Word]. The zero value is the first edition.
// Like all of a configuration they are never changed in place.
type Words []string

// PresentWords returns the texts of this build.
func PresentWords() Words {
	words := make(Words, wordCount)
	for w, d := range dictionary {
		words[w] = cmp.Or(d.now, d.first)
	}
	return words
}

// AllWords returns the words in the order of the dictionary.
func AllWords() []Word {
	all := make([]Word, wordCount)
	for i := range all {
		all[i] = Word(i)
	}
	return all
}

// With returns a copy of the words in which one has another text.
func (w Words) With(word Word, text string) Words {
	other := make(Words, wordCount)
	for i := range other {
		other[i] = w.Text(Word(i))
	}
	other[word] = text
	return other
}

// Text returns the text of a word with its arguments filled in. They come in pairs: a name,
// and what replaces {name}.
func (w Words) Text(word Word, args ...string) string {
	text := dictionary[word].first
	if int(word) < len(w) {
		text = w[word]
	}
	if len(args) == 0 {
		return text
	}
	return FillIn(text, args...)
}

// Says reports whether a text begins as a word does, up to its first argument.
func (w Words) Says(word Word, text string) bool {
	start, _, _ := strings.Cut(w.Text(word), "{")
	return strings.HasPrefix(text, start)
}

// FillIn fills arguments, pairs of a name and what replaces {name}, into a template in one pass:
// a {name} inside an argument is not replaced. A {name} without an argument stays as it is.
func FillIn(template string, args ...string) string {
	size := len(template)
	for i := 1; i < len(args); i += 2 {
		size += len(args[i])
	}
	var b strings.Builder
	b.Grow(size)
	for {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(template[open:], '}')
		if end < 0 {
			break
		}
		name := template[open+1 : open+end]
		b.WriteString(template[:open])
		template = template[open+end+1:]
		value, found := argument(args, name)
		if !found {
			value = "{" + name + "}"
		}
		b.WriteString(value)
	}
	b.WriteString(template)
	return b.String()
}

func argument(args []string, name string) (string, bool) {
	for i := 0; i+1 < len(args); i += 2 {
		if args[i] == name {
			return args[i+1], true
		}
	}
	return "", false
}

// MarshalJSON writes an object of the texts that differ from the first edition, by
// name, in the dictionary's order.
func (w Words) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, text := range w {
		if text == dictionary[i].first {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		quoted, _ := json.Marshal(text) // a string never fails
		out = append(out, '"')
		out = append(out, dictionary[i].name...)
		out = append(out, '"', ':')
		out = append(out, quoted...)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes. A missing word has its text of the first
// edition; an unknown one is ignored.
func (w *Words) UnmarshalJSON(data []byte) error {
	var texts map[string]string
	if err := json.Unmarshal(data, &texts); err != nil {
		return err
	}
	words := make(Words, wordCount)
	for i, d := range dictionary {
		text, differs := texts[d.name]
		if !differs {
			text = d.first
		}
		words[i] = text
	}
	*w = words
	return nil
}

// Clip returns s if it has at most n bytes, else as much of it as fits in whole characters,
// and a visible mark.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + " …"
}
