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

// Texts counts the texts that are kept.
func (s *Store) Texts() (h Held, err error) {
	if err := s.usable(); err != nil {
		return h, err
	}
	err = s.scan([]byte{kindTextAt}, []byte{kindTextAt + 1}, func(key, value []byte) error {
		k, err := textKeyOf(key)
		if err != nil {
			return err
		}
		body, err := unseal(key, value, textName(k))
		if err != nil {
			return err
		}
		h.Texts++
		if rest := body[min(timeBytes, len(body)):]; len(rest) == lengthBytes {
			h.Bytes += int64(binary.BigEndian.Uint64(rest))
			return nil
		}
		text, _, err := s.Text(k)
		h.Bytes += int64(len(text))
		return err
	})
	return h, err
}

// textTime is what stands apart from a text, or from its body.
func textTime(at fsm.Millis, length int) []byte {
	return append(bigEndian(uint64(at)), bigEndian(uint64(length))...)
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
