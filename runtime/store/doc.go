// Package store keeps the journal, the requests, the snapshots, the sent messages,
// the audit, the memory entries, the sessions and the long results of one daemon in one folder, in a
// Pebble database.
//
//	s, err := store.Open(dir, store.Options{Logger: log, ReserveBytes: 64 << 20})
//	e, err := engine.Open(s, world)   // a Store is an engine.Journal
//	m, err := memory.Open(s, memory.Options{…}) // and holds the entries of package memory
//	...
//	err = s.Close()
//
// # Keys
//
// A key begins with one byte for the kind of its value. Integers are big-endian, so that keys sort
// as their numbers do. A string inside a key is preceded by its length in bytes, as 4 bytes, unless
// it is the last part.
//
//	M "format"                 the version of this layout
//	M "name"                   a random text that identifies this store
//	J index(8)                 one journal record, index from 1
//	R principal channel id     one request
//	r index(8)                 the request that the record at the index accepted
//	S index(8)                 the snapshot of the state after the record at the index
//	E id                       one memory entry
//	f id                       mark: the memory entry was forgotten
//	P channel position(8)      one message sent to a channel
//	A position(8)              one audit record
//	a session position(8)      mark: the audit record at the position is the session's
//	C id                       one session
//	H session number(8)        one part of a session's archive, number from 1; 0: the
//	                           number of the last part dropped
//	T owner ref                a long result, kept whole
//	t owner ref                when it was last kept, and its length
//	I …                        the memory's index, with the keys of package index
//	" number(8)                a text that other values refer to, number from 1
//	& number(8) key            mark: the value under the key refers to the text
//
// The format record is just 4 bytes, and its key never changes, so that every version can read the
// format of every other. Every other value is
//
//	crc32c(4) body
//
// where the checksum covers key and body, so that it also rejects a value under a wrong key. The
// bodies are
//
//	J  hash of the effects(8)  input as JSON (fsm.MarshalInput)
//	R  engine.Request as JSON
//	r  the request's key
//	S  bytes(8) of all records up to it  time(8) of the last input  state.Snapshot as JSON without
//	   its handles, and each of them, on a line of its own
//	E  fsm.Entry as JSON
//	f  empty
//	P  engine.Message as JSON
//	A  engine.Audit as JSON
//	a  empty
//	C  the caller's bytes
//	H  the caller's bytes; for number 0: number(8)
//	T  time(8)  the text
//	t  time(8)  length(8)
//	I  the bytes of package index
//	"  the text, or compressed by text.Codec: shorter than the references say
//	&  empty
//
// The input of J, the state of S, the text of T, and the bodies of R, E, P, A, C and H (except number
// 0) are forms of package text: a long text in them is kept once, under its number, and referred to;
// the form of S is compressed, and so is any other that is long without its texts. A body that was
// written in an older format is its own form, and a snapshot of one is a single object.
//
// A store with a newer layout is refused with [ErrNewerFormat], without changing a byte: its format
// is first read through a read-only opening. Through that the caller may refuse a journal, too
// ([Options].Admits).
//
// # Durability
//
// One Append is one Pebble batch: all of it or nothing. All writes share one
// write-ahead log, so a synced write makes every write before it durable too. Memory
// entries and sessions are therefore put without a sync: the next barrier, in the
// same log, syncs them, and a crash before that barrier loses them together with
// the record that says they were stored.
//
// # Texts
//
// A value is written in one batch with the marks of what it refers to and with the texts that did
// not exist yet. It is deleted in one batch with its marks and with the texts that have no mark left
// (JRN-34). Only one goroutine at a time writes or deletes marks, until readers see its batch; the
// sync comes after that. If a mark cannot be read, its text is kept.
//
// # Trimming
//
// A Trim is one synced batch. Records and snapshots are deleted by one range deletion each, after
// reading what they refer to, and everything else key by key. Pebble frees the disk space of deleted
// data only when it compacts; so once a good part of the store has been deleted, the store compacts
// everything in the background.
//
// # Damage
//
// [Look] tells by file names alone whether there is a store and whether it is complete (JRN-29).
// [Store.Examine] reads everything in a store that opens (JRN-30). The anchor says how far the
// journal was durable (JRN-31). [Salvage] reads what can be read of a store that does not open, and
// [Wreck.Rebuild] makes another store of it (JRN-32).
//
// # Failed writes
//
// Pebble cannot go on after a failed write to its log or manifest. Depending on where the write
// fails, it calls Logger.Fatalf, which must not return, or panics on the current goroutine, in one
// case with a lock in a state that no recover repairs. A library must not end the process, so Pebble
// never learns of the failure: on the file system that it is given, a write that fails remembers the
// error and does not return, and neither does Fatalf. The same holds for renaming a file and listing
// a folder: if these fail while Pebble opens, it closes what its compactions use. Each write of the
// store runs on a goroutine of its own, and its caller stops waiting once there is a failure. From
// then on every method returns the error, the channel of [Store.Failed] is closed, and the folder
// stays locked until the process ends. Ending it is up to the daemon; the next start recovers
// everything that was acknowledged.
//
// A full disk fails a write only when there is nothing left to give up. With [Options.BallastBytes]
// the folder has a file of that size, named ballast. When a write finds no space, the file is
// removed and the write tried again; [Store.Space] makes the file again once there is room for it
// above the reserve.
package store
