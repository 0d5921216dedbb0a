package store

import (
	"encoding/binary"
	"fmt"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Texts are under their owner and name, and their times and lengths apart from them, so that
// neither a Trim nor a count reads what is kept. Earlier shellys wrote no lengths.

// timeBytes is the length of a time in a text, and of one apart from it; lengthBytes that
// of the text's length, which follows it there.
const (
	timeBytes   = 8
	lengthBytes = 8
)

// Held is how many texts are kept, and their length in bytes.
type Held struct {
	Texts int
	Bytes int64
}

// textTime is what stands apart from a text, or from its body.
func textTime(at fsm.Millis, length int) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(at)), uint64(length))
}

func textKey(k engine.TextKey) []byte   { return textOf(kindText, k) }
func textAtKey(k engine.TextKey) []byte { return textOf(kindTextAt, k) }

func textOf(kind byte, k engine.TextKey) []byte {
	return append(appendPart([]byte{kind}, k.Owner), k.Ref...)
}

// textKeyOf is the text that a key of either kind is of.
func textKeyOf(key []byte) (engine.TextKey, error) {
	owner, ref, ok := part(key[1:])
	if !ok {
		return engine.TextKey{}, corrupt(fmt.Sprintf("text key %q", key), "it has no owner and name")
	}
	return engine.TextKey{Owner: string(owner), Ref: string(ref)}, nil
}

// textIn reads the time and the text of a body.
func textIn(body []byte, what string) (fsm.Millis, string, error) {
	if len(body) < timeBytes {
		return 0, "", corrupt(what, "it is cut short")
	}
	return fsm.Millis(binary.BigEndian.Uint64(body)), string(body[timeBytes:]), nil
}

func textName(k engine.TextKey) string { return fmt.Sprintf("text %s of %s", k.Ref, k.Owner) }
