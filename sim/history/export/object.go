package export

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/scenario"
)

// object is a map of a scenario, its keys in the order in which people read them.
type object []member

type member struct {
	key   string
	value any
}

// put adds a key.
func (o *object) put(key string, value any) { *o = append(*o, member{key, value}) }

// has reports whether there is a key.
func (o *object) has(key string) bool {
	return slices.ContainsFunc(*o, func(m member) bool { return m.key == key })
}

// text adds a key with a text, unless that is empty.
func (o *object) text(key, value string) {
	if value != "" {
		o.put(key, value)
	}
}

// flag adds a key that is true, unless it is not.
func (o *object) flag(key string, is bool) {
	if is {
		o.put(key, true)
	}
}

// list adds a key with a list, unless that is empty.
func (o *object) list(key string, list []any) {
	if len(list) > 0 {
		o.put(key, list)
	}
}

// object adds a key with a map, unless that is empty.
func (o *object) object(key string, value object) {
	if len(value) > 0 {
		o.put(key, value)
	}
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// render is the scenario as a file has it.
func (o object) render() (string, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	return scenario.Render(data)
}

// span is a duration as a scenario has it.
func span(d fsm.Millis) string {
	return wording.Short((time.Duration(max(d, 0)) * time.Millisecond).String())
}

// leap is a jump of the clock as a scenario writes it.
func leap(d fsm.Millis) string {
	if d < 0 {
		return "-" + span(-d)
	}
	return span(d)
}

// rounded is a time as people would say it: to the tenth of a second, and below one
// second to the hundredth.
func rounded(d fsm.Millis) fsm.Millis {
	unit := fsm.Millis(10)
	if d >= fsm.Second {
		unit = 100
	}
	return (d + unit/2) / unit * unit
}
