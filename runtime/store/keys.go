package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"shelly/fsm"
)

// The first byte of each key.
const (
	kindMeta      = 'M'
	kindRecord    = 'J'
	kindRequest   = 'R'
	kindRequestAt = 'r'
	kindSnapshot  = 'S'
	kindEntry     = 'E'
	kindForgotten = 'f'
	kindMessage   = 'P'
	kindAudit     = 'A'
	kindAuditOf   = 'a'
	kindSession   = 'C'
	kindArchive   = 'H'
	kindText      = 'T'
	kindTextAt    = 't'
	kindIndex     = 'I'
	kindOnce      = '"' // sorts before the kinds that refer to it: see rebuilding
	kindReference = '&'
)

func formatKey() []byte { return []byte("Mformat") }
func nameKey() []byte   { return []byte("Mname") }

func recordKey(index uint64) []byte { return at(kindRecord, index) }

func snapshotKey(index uint64) []byte { return at(kindSnapshot, index) }

// requestAtKey is the place of a request in the order of the requests' records.
func requestAtKey(index uint64) []byte { return at(kindRequestAt, index) }

// at is the key of something identified by a number alone.
func at(kind byte, number uint64) []byte { return binary.BigEndian.AppendUint64([]byte{kind}, number) }

// recordIndex is the index in a record's key.
func recordIndex(key []byte) (uint64, error) {
	if len(key) != 9 {
		return 0, corrupt(fmt.Sprintf("journal key %q", key), "it is not 9 bytes long")
	}
	return binary.BigEndian.Uint64(key[1:]), nil
}

// requestKey keeps the parts apart, so that no two requests share a key (COM-5).
func requestKey(k fsm.RequestKey) []byte {
	key := appendPart([]byte{kindRequest}, k.Principal)
	return append(appendPart(key, k.Channel), k.ID...)
}

// appendPart appends a string to a key, with its length, so that it stays apart from what follows.
func appendPart(key []byte, part string) []byte {
	key = binary.BigEndian.AppendUint32(key, uint32(len(part)))
	return append(key, part...)
}

// part splits off what appendPart appended first.
func part(key []byte) (name, rest []byte, ok bool) {
	if len(key) < 4 {
		return nil, nil, false
	}
	n := int(binary.BigEndian.Uint32(key))
	if len(key) < 4+n {
		return nil, nil, false
	}
	return key[4 : 4+n], key[4+n:], true
}

func entryKey(id string) []byte { return append([]byte{kindEntry}, id...) }

// forgottenKey is the mark of a memory entry that was forgotten.
func forgottenKey(id string) []byte { return append([]byte{kindForgotten}, id...) }

// indexKey is the key of a part of the memory's index.
func indexKey(key []byte) []byte { return append([]byte{kindIndex}, key...) }

func sessionKey(id string) []byte { return append([]byte{kindSession}, id...) }

// numbered is the key of something numbered under a name: the messages of a channel, the audit of a
// session, the archive of a session.
func numbered(kind byte, name string, number uint64) []byte {
	return binary.BigEndian.AppendUint64(appendPart([]byte{kind}, name), number)
}

func auditKey(position uint64) []byte { return at(kindAudit, position) }

// numberOf returns the number at the end of a key.
func numberOf(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(key)-8:]) }

// prefixEnd returns the first key after every key with the prefix.
func prefixEnd(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// sumBytes is the length of a checksum.
const sumBytes = 4

// seal fills value, which has exactly the room for it, with what is stored for body under key: a
// checksum over both, then the body.
func seal(value, key, body []byte) {
	binary.BigEndian.PutUint32(value, checksum(key, body))
	copy(value[sumBytes:], body)
}

// unseal returns the body in a value, or an error that names the value as what.
func unseal(key, value []byte, what string) ([]byte, error) {
	if len(value) < sumBytes {
		return nil, corrupt(what, "it is cut short")
	}
	body := value[sumBytes:]
	if got, want := checksum(key, body), binary.BigEndian.Uint32(value); got != want {
		return nil, corrupt(what, fmt.Sprintf("checksum %08x, want %08x", got, want))
	}
	return body, nil
}

func checksum(key, body []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(key, table), table, body)
}

func sessionName(id string) string { return fmt.Sprintf("session %q", id) }

func bigEndian(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
