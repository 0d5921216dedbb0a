package strict

import (
	"reflect"
	"slices"
	"strings"

	"shelly/fsm/wording"
)

// Field is a key of a struct: key:"NAME" or key:"NAME,required", and enum:"WORD,WORD" for
// a text that is one of these, or a list of them; and min and max for a number or a length.
type Field struct {
	Name     string
	Index    []int // as of [reflect.Value.FieldByIndex]
	Required bool
	Enum     []string
	Range    Range
}

// Fields returns the keys of a struct type in the order of its fields, those of an
// embedded struct in its place.
func Fields(t reflect.Type) []Field {
	fields := make([]Field, 0, t.NumField())
	for i := range t.NumField() {
		of := t.Field(i)
		if of.Anonymous && of.Type.Kind() == reflect.Struct {
			for _, f := range Fields(of.Type) {
				f.Index = append([]int{i}, f.Index...)
				fields = append(fields, f)
			}
			continue
		}
		tag, ok := of.Tag.Lookup("key")
		if !ok {
			continue
		}
		name, option, _ := strings.Cut(tag, ",")
		f := Field{Name: name, Index: of.Index, Required: option == "required", Range: RangeOf(of.Tag)}
		if words := of.Tag.Get("enum"); words != "" {
			f.Enum = strings.Split(words, ",")
		}
		fields = append(fields, f)
	}
	return fields
}

// Keys returns the keys of a struct type in their order.
func Keys(t reflect.Type) []string { return names(Fields(t)) }

func names(fields []Field) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Name
	}
	return list
}

func indexOf(fields []Field, name string) int {
	return slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
}

// enumerated checks a text against the words that its field allows.
func (d *Decoder) enumerated(pos Pos, v reflect.Value, f Field, path string) {
	if f.Enum == nil {
		return
	}
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			d.enumerated(d.Where[Element(path, i)], v.Index(i), f, Element(path, i))
		}
		return
	}
	if word := v.String(); !slices.Contains(f.Enum, word) {
		d.Problems = append(d.Problems, Problem{Pos: pos, Path: path, Text: wording.Unknown("word", word, f.Enum)})
	}
}
