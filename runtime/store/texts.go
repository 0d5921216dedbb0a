package store

import (
	"encoding/binary"
	"fmt"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Texts are stored under owner and name; their times and lengths are stored separately, so that
// neither a Trim nor a count has to read the texts. Earlier versions of shelly wrote no lengths.

// timeBytes is the length of the time that begins the value of a text and the separate value;
// lengthBytes that of the text's length, which follows it in the separate value.
const (
	timeBytes   = 8
	lengthBytes = 8
)

// Held is how many texts are stored, and their total length in bytes.
type Held struct {
	Texts int
	Bytes int64
}

// textTime returns the separate value of a text: its time and length.
func textTime(at fsm.Millis, length int) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(at)), uint64(length))
}

func textKey(k engine.TextKey) []byte   { return textOf(kindText, k) }
func textAtKey(k engine.TextKey) []byte { return textOf(kindTextAt, k) }

func textOf(kind byte, k engine.TextKey) []byte {
	return append(appendPart([]byte{kind}, k.Owner), k.Ref...)
}

// textKeyOf returns the text that a key of either kind belongs to.
func textKeyOf(key []byte) (engine.TextKey, error) {
	owner, ref, ok := part(key[1:])
	if !ok {
		return engine.TextKey{}, corrupt(fmt.Sprintf("text key %q", key), "it has no owner and name")
	}
	return engine.TextKey{Owner: string(owner), Ref: string(ref)}, nil
}

// textIn splits a body into its time and its text.
func textIn(body []byte, what string) (fsm.Millis, string, error) {
	if len(body) < timeBytes {
		return 0, "", corrupt(what, "it is cut short")
	}
	return fsm.Millis(binary.BigEndian.Uint64(body)), string(body[timeBytes:]), nil
}

func textName(k engine.TextKey) string { return fmt.Sprintf("text %s of %s", k.Ref, k.Owner) }
