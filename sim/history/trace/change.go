package trace

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
)

// changes are the differences between the states before and after an input. The time and
// the last id, which every input changes, are left out, and so is the configuration, which
// Boot and Configured tell.
func (b *Builder) changes(in fsm.Input, before, after *state.Snapshot) (list []Change, left int) {
	d := differ{}
	old, now := *before, *after
	old.Now, old.LastID, old.Handles = now.Now, now.LastID, nil
	now.Handles = nil
	_, boots := in.Fact.(fsm.Boot)
	switch _, reloads := in.Fact.(fsm.Configured); {
	case old.Epoch == 0: // the first configuration is the input's, whole
		old.Config, now.Config = fsm.Config{}, fsm.Config{Profile: now.Config.Profile}
	case !boots && !reloads:
		old.Config = now.Config
	}
	d.walk("", reflect.ValueOf(old), reflect.ValueOf(now))
	for i := range before.Handles {
		h := &before.Handles[i]
		if !b.concerns(h.ID) {
			continue
		}
		d.of = handleName(h.ID)
		if at := after.IndexOf(h.ID); at >= 0 {
			d.walk("", reflect.ValueOf(*h), reflect.ValueOf(after.Handles[at]))
		} else {
			d.add("", brief(h), "")
		}
	}
	for i := range after.Handles {
		if h := &after.Handles[i]; b.concerns(h.ID) && before.IndexOf(h.ID) < 0 {
			d.of = handleName(h.ID)
			d.add("", "", brief(h))
		}
	}
	return d.list, d.left
}

func (b *Builder) concerns(id fsm.HandleID) bool {
	return b.of == nil || slices.Contains(b.of.Handles, id)
}

func handleName(id fsm.HandleID) string { return fmt.Sprintf("handle %d", id) }

// brief is a handle in a few words.
func brief(h *state.Handle) string {
	return fmt.Sprintf("%s, %s: %s", h.Kind, h.State, cut(wording.OneLine(h.Input), valueMax))
}

// differ gathers what differs between two values of one type.
type differ struct {
	of   string
	list []Change
	left int
}

func (d *differ) add(path, before, after string) {
	if len(d.list) == ChangesMax {
		d.left++
		return
	}
	d.list = append(d.list, Change{d.of, path, cut(before, valueMax), cut(after, valueMax)})
}

func (d *differ) walk(path string, a, b reflect.Value) {
	if !a.CanInterface() || !b.CanInterface() {
		return
	}
	if x, ok := a.Interface().(fsm.Conversation); ok {
		if y, _ := b.Interface().(fsm.Conversation); x.Hash != y.Hash || len(x.Messages) != len(y.Messages) {
			d.add(path, conversation(x), conversation(y))
		}
		return
	}
	switch a.Kind() {
	case reflect.Struct:
		d.fields(path, a, b)
	case reflect.Slice:
		d.slices(path, a, b)
	case reflect.Map, reflect.Pointer, reflect.Interface:
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			d.add(path, fmt.Sprint(a.Interface()), fmt.Sprint(b.Interface()))
		}
	default:
		if !a.Equal(b) {
			d.add(path, plain(a), plain(b))
		}
	}
}

func (d *differ) fields(path string, a, b reflect.Value) {
	for i := range a.NumField() {
		field := a.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			name = path
		case name == "" || name == "-":
			name = join(path, strings.ToLower(field.Name))
		default:
			name = join(path, name)
		}
		d.walk(name, a.Field(i), b.Field(i))
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (d *differ) slices(path string, a, b reflect.Value) {
	if a.Len() == b.Len() && (a.Len() == 0 || a.Pointer() == b.Pointer()) {
		return
	}
	if a.Len() != b.Len() || a.Type().Elem().Kind() != reflect.Struct {
		if before, after := several(a), several(b); before != after || !reflect.DeepEqual(a.Interface(), b.Interface()) {
			d.add(path, before, after)
		}
		return
	}
	for i := range a.Len() {
		d.walk(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))
	}
}

// several is a list in a few words: the texts, or how many there are.
func several(v reflect.Value) string {
	switch {
	case v.Len() == 0:
		return ""
	case v.Type().Elem().Kind() == reflect.String:
		var texts []string
		for i := range v.Len() {
			texts = append(texts, v.Index(i).String())
		}
		return strings.Join(texts, ", ")
	case v.Type().Elem().Kind() == reflect.Uint8:
		return wording.Count(v.Len(), "byte")
	default:
		return wording.Count(v.Len(), "item")
	}
}

func conversation(c fsm.Conversation) string {
	if len(c.Messages) == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %s", wording.Count(len(c.Messages), "message"), wording.Count(c.Tokens, "token"))
}

// instantsFrom is the time from which on a Millis is an instant, and no length of time:
// three years after the epoch.
const instantsFrom = 100_000_000_000

// plain is a value as text; the zero value is none.
func plain(v reflect.Value) string {
	if at, ok := v.Interface().(fsm.Millis); ok && at > instantsFrom {
		return time.UnixMilli(int64(at)).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if hash, ok := v.Interface().(uint64); ok { // ids have types of their own
		return fmt.Sprintf("%016x", hash)
	}
	if v.IsZero() && v.Kind() != reflect.Bool && v.Kind() != reflect.Int {
		return ""
	}
	if s, ok := v.Interface().(fmt.Stringer); ok && v.Kind() == reflect.Int64 {
		return s.String()
	}
	return fmt.Sprint(v.Interface())
}
