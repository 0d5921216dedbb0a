package journaltest

import (
	"fmt"
	"reflect"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// tail returns n small records that follow the given ones.
func tail(records []engine.Record, n int) []engine.Record {
	kinds := inputs()
	next := make([]engine.Record, n)
	for i := range next {
		index := uint64(len(records) + i + 1)
		next[i] = engine.Record{Index: index, Input: kinds[index%uint64(len(kinds))], Effects: index * 0x9e3779b97f4a7c15}
	}
	return next
}

// inputs returns one input of each kind in which no field is zero.
func inputs() []fsm.Input {
	var list []fsm.Input
	for i, zero := range fsm.Facts() {
		fact := reflect.New(reflect.TypeOf(zero)).Elem()
		n := 0
		fill(fact, &n)
		list = append(list, fsm.Input{At: sample[fsm.Millis]() - fsm.Millis(i), Fact: fact.Interface().(fsm.Fact)})
	}
	return list
}

// sample returns a value in which no field is zero.
func sample[T any]() T {
	var v T
	n := 0
	fill(reflect.ValueOf(&v).Elem(), &n)
	return v
}

// fill gives v a value that no other part of its sample has; n counts the values given. It
// is a text that JSON escapes, or a number too large for a float.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		length := 2
		if v.Type() == reflect.TypeFor[fsm.Words]() {
			length = len(fsm.AllWords()) // one for each word, and it is written by name
		}
		v.Set(reflect.MakeSlice(v.Type(), length, length))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("磁盘 <\"%d\">", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1<<62 - int64(*n))
	case reflect.Uint8:
		if v.Type() == reflect.TypeFor[fsm.Source]() {
			v.SetUint(1 + uint64(*n%31)) // a set of five
			return
		}
		v.SetUint(255 - uint64(*n%100))
	case reflect.Uint64:
		v.SetUint(^uint64(*n))
	default:
		panic("no sample of " + v.Kind().String())
	}
}

// zeroField returns the path of a zero field in a sample, or "". With one, the sample would
// not show that the journal loses it.
func zeroField(v reflect.Value, path string) string {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if hole := zeroField(v.Field(i), path+"."+v.Type().Field(i).Name); hole != "" {
				return hole
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Struct {
				if hole := zeroField(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); hole != "" {
					return hole
				}
			}
		}
	}
	if v.IsZero() {
		return path
	}
	return ""
}

// request returns a request record in its n-th version; an odd one is done.
func request(key fsm.RequestKey, n int) engine.Request {
	r := engine.Request{
		Key: key, Handle: fsm.HandleID(n + 1), Session: "cli:direct", Text: "what is 磁盘?", Accepted: fsm.Millis(100 + n),
		Origin: fsm.Origin{Channel: "cli", Chat: "direct"}, Body: "0f",
	}
	if n%2 == 1 {
		r.Done, r.Replied, r.Reply, r.IsError = true, fsm.Millis(200+n), fmt.Sprintf("answer %d", n), n%4 == 3
		r.Outcome = fsm.OutcomeExhausted
	}
	return r
}

// chats returns where messages go, in turn. Some names are equal when joined, or are empty.
func chats() []fsm.Origin {
	return []fsm.Origin{{Channel: "a", Chat: "bc"}, {Channel: "ab", Chat: "c"}, {Channel: "a", Chat: "d"}, {}, {Channel: "a"}}
}

// message returns the n-th message, from 1, sent by the step at index.
func message(n int, index uint64) engine.Message {
	m := engine.Message{Position: engine.PositionOf(index, n), At: fsm.Millis(n), SendMessage: sample[fsm.SendMessage]()}
	m.Key, m.To = fmt.Sprint("h1/", n), chats()[n%len(chats())]
	return m
}

// sessions returns what audit records belong to, in turn.
func sessions() []string { return []string{"a", "ab", ""} }

// audit returns the n-th audit record, from 1, made by the step at index.
func audit(n int, index uint64) engine.Audit {
	a := engine.Audit{Position: engine.PositionOf(index, n), At: fsm.Millis(n), Audit: sample[fsm.Audit]()}
	a.Key, a.Session = fmt.Sprint("h1/", n), sessions()[n%len(sessions())]
	return a
}

// snapshot returns the state of a machine with unfinished requests.
func snapshot(requests int) state.Snapshot {
	m := machine.New()
	config := profile.Shelly()
	config.Init = fsm.InitOff
	m.Step(fsm.Input{At: 1, Fact: fsm.Boot{Config: config}})
	for i := range requests {
		m.Step(fsm.Input{At: 2, Fact: fsm.Requested{Request: fsm.RequestKey{ID: fmt.Sprint(i)}, Text: "how full is 磁盘?"}})
	}
	return m.Snapshot()
}
