package wire

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Field is a member that an object may have, and how it is read.
type Field struct {
	Name string
	Read func(Value) error
}

// Object reads the members of an object by their fields. A member that is null counts as absent,
// and one without a field is refused.
func (v Value) Object(fields ...Field) error {
	if v.Kind != Object {
		return v.Fault("is %s; send an object", v.Kind)
	}
	for _, m := range v.Members {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == m.Name })
		if i < 0 {
			path := m.Path()
			return &Error{Param: path, Message: fmt.Sprintf("unknown field %q; %s", path, instead(fields)), Unknown: true}
		}
		if m.Kind == Null {
			continue
		}
		if err := fields[i].Read(m.Value); err != nil {
			return err
		}
	}
	return nil
}

// namedMax is how many fields an error names: there are objects with several dozen.
const namedMax = 12

// instead says what to do about a field that an object does not have.
func instead(fields []Field) string {
	if len(fields) == 0 || len(fields) > namedMax {
		return "leave it out"
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return "the fields are " + strings.Join(names, ", ")
}

// Member returns a member of an object; of kind Null if there is none.
func (v Value) Member(name string) Value {
	i := slices.IndexFunc(v.Members, func(m Member) bool { return m.Name == name })
	if i < 0 {
		return Value{Kind: Null, at: v.at}
	}
	return v.Members[i].Value
}

// Has reports whether an object has a member, even if that is null.
func (v Value) Has(name string) bool {
	return slices.ContainsFunc(v.Members, func(m Member) bool { return m.Name == name })
}

// Is returns an error unless a value is of one of the kinds.
func (v Value) Is(kinds ...Kind) error {
	if slices.Contains(kinds, v.Kind) {
		return nil
	}
	words := string(kinds[0])
	for _, k := range kinds[1:] {
		words += " or " + string(k)
	}
	return v.Fault("is %s; send %s", v.Kind, words)
}

// Text is a field with a text.
func Text(name string, to *string) Field {
	return Field{name, func(v Value) error {
		*to = v.Text
		return v.Is(String)
	}}
}

// Flag is a field with true or false.
func Flag(name string, to *bool) Field {
	return Field{name, func(v Value) error {
		*to = v.True
		return v.Is(Bool)
	}}
}

// Any is a field with any value.
func Any(name string, to *Value) Field {
	return Field{name, func(v Value) error {
		*to = v
		return nil
	}}
}

// Each is a field with a list of at most most items, which read reads in order.
func Each(name string, most int, read func(Value) error) Field {
	return Field{name, func(v Value) error { return v.Each(most, read) }}
}

// Each calls read with the items of a list of at most most items, in order.
func (v Value) Each(most int, read func(Value) error) error {
	if err := v.Is(List); err != nil {
		return err
	}
	if len(v.Items) > most {
		return v.Fault("has more than %d items; send fewer", most)
	}
	for _, item := range v.Items {
		if err := read(item); err != nil {
			return err
		}
	}
	return nil
}

// Idle is a field that is accepted and has no effect here (FRT-3).
func Idle(name string, kinds ...Kind) Field {
	return Field{name, func(v Value) error { return v.Is(kinds...) }}
}

// Idles are fields of one kind that are accepted and have no effect here.
func Idles(kind Kind, names ...string) (all []Field) {
	for _, name := range names {
		all = append(all, Idle(name, kind))
	}
	return all
}

// Refused is a field that asks for something that is not done here; why says the reason. Values
// that ask for nothing are accepted: false, "", an empty list or object, and the texts in fine.
func Refused(name, why string, fine ...string) Field {
	return Field{name, func(v Value) error {
		empty := v.Kind != Number && !v.True && v.Text == "" && len(v.Items) == 0 && len(v.Members) == 0
		if empty || v.Kind == String && slices.Contains(fine, v.Text) {
			return nil
		}
		return v.Fault("is not supported: %s", why)
	}}
}

// Only is a field that may have only one number, however it is written: clients in languages that know
// only one kind of number write 1.0.
func Only(name string, value float64, why string) Field {
	return Field{name, func(v Value) error {
		if n, err := strconv.ParseFloat(v.Text, 64); v.Kind == Number && err == nil && n == value {
			return nil
		}
		return v.Fault("is not supported: %s", why)
	}}
}
