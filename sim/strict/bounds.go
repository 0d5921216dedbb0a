package strict

import (
	"reflect"

	"shelly/fsm/wording"
)

// Range is what a number may be: the least and the greatest, as people write them. Empty is no
// bound.
type Range struct{ Min, Max string }

// RangeOf is the range in the tags min and max of a field.
func RangeOf(tag reflect.StructTag) Range { return Range{Min: tag.Get("min"), Max: tag.Get("max")} }

// Wrong says what is wrong with a number, or returns "". The number is shown as in shown, and read
// reads a bound.
func (r Range) Wrong(number int64, shown string, read func(bound string) (int64, error)) string {
	for _, bound := range []struct {
		text, word string
		sign       int64
	}{{r.Min, "the least is ", -1}, {r.Max, "the most is ", 1}} {
		if bound.text == "" {
			continue
		}
		limit, err := read(bound.text)
		switch {
		case err != nil:
			return bound.text + " in the schema: " + err.Error()
		case bound.sign*number > bound.sign*limit:
			return shown + " is out of range; " + bound.word + bound.text
		}
	}
	return ""
}

// bounded checks a number against the range of its field, whose bounds are read as it is. There
// is none where a variable stands for it and what is wrong was said where that is given.
func (d *Decoder) bounded(n *Node, v reflect.Value, r Range, path string) {
	if r == (Range{}) || !v.IsValid() {
		return
	}
	wrong := r.Wrong(v.Int(), wording.Word(n.Value), func(bound string) (int64, error) {
		limit, err := reflect.New(v.Type()).Elem(), error(nil)
		for _, kind := range []Kind{IntKind, TextKind} {
			of := Decoder{}
			of.value(&Node{Kind: kind, Value: bound}, limit, path)
			if err = Failed(path, nil, of.Problems); err == nil {
				break
			}
		}
		return limit.Int(), err
	})
	if wrong != "" {
		d.Add(n, path, wrong)
	}
}
