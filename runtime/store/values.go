package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/store/table"
)

// values checks the values of a store in key order.
type values struct {
	store *Store
	out   *Examination

	next    map[byte]uint64 // the next number of each kind that is numbered without gaps
	archive []byte          // the archive that next counts
}

// check checks that a value is what was written under its key, and that what it points to exists.
func (v *values) check(key []byte, value stored) {
	v.out.Values++
	what, err := v.read(key, value)
	switch {
	case errors.Is(err, errAbsent), errors.Is(err, errText):
		v.out.Missing = append(v.out.Missing, what)
	case err != nil:
		v.out.Damage = append(v.out.Damage, what)
	}
}

// errAbsent says that what a value points to does not exist.
var errAbsent = errors.New("it is missing")

// read reads a value and checks that what it points to exists. What names the thing that is damaged
// or missing.
func (v *values) read(key []byte, value stored) (what string, err error) {
	what, body, err := sound(key, value)
	if err != nil && !errors.Is(err, errText) {
		return what, err
	}
	v.numbered(key)
	if err != nil {
		return what, err
	}
	if what, err := v.marked(key, value); err != nil {
		return what, err
	}
	switch key[0] {
	case kindRequestAt:
		what, err = v.leads(body)
	case kindAuditOf:
		what, err = v.leads(auditKey(numberOf(key)))
	case kindTextAt:
		what, err = v.leads(append([]byte{kindText}, key[1:]...))
	}
	return what, err
}

// sound returns the name and the body of a value, and an error if it is not what was written under
// its key.
func sound(key []byte, v stored) (what string, body []byte, err error) {
	if bytes.Equal(key, formatKey()) {
		_, err := version(v.value)
		return "the format record", v.value, err
	}
	what = nameOf(key)
	if body, err = v.body(key, what); err != nil {
		return what, nil, err
	}
	switch key[0] {
	case kindRecord:
		if _, err = recordIndex(key); err == nil {
			_, err = decodeRecord(numberOf(key), key, v)
		}
	case kindSnapshot:
		_, snapshot, failed := readSnapshot(key, v)
		if err = failed; err == nil {
			_, err = decodeSnapshot(snapshot)
		}
	case kindAudit:
		err = json.Unmarshal(body, &engine.Audit{})
	case kindRequest:
		err = json.Unmarshal(body, &engine.Request{})
	case kindEntry:
		err = json.Unmarshal(body, &fsm.Entry{})
	case kindMessage:
		err = json.Unmarshal(body, &engine.Message{})
	case kindText, kindTextAt:
		if _, err = textKeyOf(key); err == nil {
			_, _, err = textIn(body, what)
		}
	}
	return what, body, err
}

// marked checks that each text that a value refers to has a mark for it.
func (v *values) marked(key []byte, value stored) (what string, err error) {
	for _, r := range refsIn(key, value.value) {
		if what, err := v.leads(referenceKey(r.Number, key)); err != nil {
			return what, err
		}
	}
	return "", nil
}

// leads checks that what a value points to exists. Whether it is intact is checked when its own key
// is read.
func (v *values) leads(key []byte) (what string, err error) {
	_, closer, err := v.store.db.Get(key)
	if err != nil {
		return nameOf(key), errAbsent
	}
	return "", closer.Close()
}

// numbered notes the number of a value of a kind that is numbered without gaps.
func (v *values) numbered(key []byte) {
	switch key[0] {
	case kindRecord:
		v.follows(kindRecord, key, "journal record")
	case kindArchive:
		v.followsPart(key)
	}
}

// follows notes a number, and reports the ones before it that are missing.
func (v *values) follows(kind byte, key []byte, what string) {
	if v.next == nil {
		v.next = map[byte]uint64{}
	}
	number := numberOf(key)
	if next := v.next[kind]; next != 0 && number > next {
		v.out.Missing = append(v.out.Missing, numbers(what, next, number-1))
	}
	v.next[kind] = number + 1
}

// followsPart is follows for the parts of a session's archive, in which number 0 is not a part.
func (v *values) followsPart(key []byte) {
	session := key[:len(key)-8]
	if numberOf(key) == 0 {
		return
	}
	if !bytes.Equal(session, v.archive) {
		v.archive = bytes.Clone(session)
		delete(v.next, kindArchive)
	}
	v.follows(kindArchive, key, "part of the archive of session "+quoted(session[5:]))
}

// end reports which records are missing at the end.
func (v *values) end() {
	if v.store.extent == nil {
		return
	}
	_, last := v.store.extent.ends()
	if next := v.next[kindRecord]; next != 0 && next <= last {
		v.out.Missing = append(v.out.Missing, numbers("journal record", next, last))
	}
}

// numbers names the things numbered from first to last.
func numbers(what string, first, last uint64) string {
	if first == last {
		return fmt.Sprintf("%s %d", what, first)
	}
	return fmt.Sprintf("%ss %d to %d", what, first, last)
}

// nameOf names what is stored under a key.
func nameOf(key []byte) string {
	kind, rest := key[0], key[1:]
	number := uint64(0)
	if len(key) >= 9 {
		number = numberOf(key)
	} else if kind == kindRecord {
		return "journal key " + quoted(key)
	}
	switch kind {
	case kindIndex:
		return "a part of the memory's index"
	case kindOnce:
		return onceName(number)
	case kindReference:
		if len(key) > referenceBytes {
			return fmt.Sprintf("the reference of %s to %s", nameOf(key[referenceBytes:]), onceName(referenceNumber(key)))
		}
	case kindRecord:
		return recordName(number)
	case kindSnapshot:
		return snapshotName(number)
	case kindAudit:
		return auditName(number)
	case kindRequestAt:
		return fmt.Sprintf("the place of the request of record %d", number)
	case kindRequest:
		return requestName(rest)
	case kindEntry:
		return "memory entry " + quoted(rest)
	case kindForgotten:
		return "mark that memory entry " + quoted(rest) + " was forgotten"
	case kindSession:
		return sessionName(string(rest))
	case kindText, kindTextAt:
		if owner, ref, ok := part(rest); ok {
			return map[byte]string{kindText: "text ", kindTextAt: "time of text "}[kind] + quoted(ref) + " of " + quoted(owner)
		}
	case kindMessage, kindAuditOf, kindArchive:
		if name, _, ok := part(rest); ok {
			return fmt.Sprintf("%s %d of %s", map[byte]string{
				kindMessage: "message", kindAuditOf: "place of audit record", kindArchive: "archived message",
			}[kind], number, quoted(name))
		}
	}
	return "key " + quoted(key)
}

// requestName names a request by the part of its key after the kind: principal, channel and id.
func requestName(rest []byte) string {
	if _, rest, ok := part(rest); ok {
		if channel, id, ok := part(rest); ok {
			return fmt.Sprintf("request %s of channel %s", quoted(id), quoted(channel))
		}
	}
	return "request " + quoted(rest)
}

func quoted(text []byte) string { return fmt.Sprintf("%q", text) }

// heldKinds are the kinds in which no gap shows that a key is missing, with their plural names.
var heldKinds = []struct {
	kind byte
	what string
}{
	{kindSession, "sessions"}, {kindEntry, "memory entries"}, {kindMessage, "messages"}, {kindRequest, "requests"}, {kindRecord, "journal records"},
	{kindSnapshot, "snapshots"}, {kindArchive, "archived messages"}, {kindForgotten, "marks that entries were forgotten"},
	{kindAudit, "audit records"}, {kindAuditOf, "the audit by sessions"}, {kindRequestAt, "the order of the requests"},
	{kindText, "texts"}, {kindTextAt, "the times of texts"}, {kindIndex, "the memory's index"},
	{kindOnce, "texts that stand in several of these"}, {kindReference, "references to such texts"},
	{kindMeta, "the name and the format of the store"},
}

// held names what a damaged block may have held, judging by the keys before and after it.
func held(span table.Span) (list []string) {
	for _, k := range heldKinds {
		if !span.Meets([]byte{k.kind}, []byte{k.kind + 1}) {
			continue
		}
		list = append(list, k.what+bound(" from ", k.kind, span.From)+bound(" up to ", k.kind, span.To))
	}
	return list
}

// bound names the end of a span within a kind. The key is only a boundary between others, and need
// not have been written ever.
func bound(word string, kind byte, key []byte) string {
	if len(key) < 2 || key[0] != kind {
		return ""
	}
	if len(key) > 9 || !numberedKinds[kind] {
		key = bytes.TrimSuffix(key, []byte{0})
	}
	switch {
	case kind == kindRequest:
		return word + nameOf(key)
	case kind == kindSession, kind == kindEntry, kind == kindForgotten:
		return word + quoted(key[1:])
	case numberedKinds[kind] && len(key) == 9:
		return word + fmt.Sprint(numberOf(key))
	case kind == kindMessage, kind == kindArchive, kind == kindAuditOf, kind == kindText, kind == kindTextAt:
		if name, _, ok := part(key[1:]); ok {
			return word + quoted(name)
		}
	}
	return ""
}

// numberedKinds are those whose key is just a number.
var numberedKinds = map[byte]bool{kindRecord: true, kindSnapshot: true, kindAudit: true, kindRequestAt: true}
