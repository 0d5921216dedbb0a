// Package store keeps the journal, the requests, the snapshots, the sent messages,
// the audit, the memory entries, the sessions and the long results of one daemon in one folder, in a
// Pebble database.
//
//	s, err := store.Open(dir, store.Options{Logger: log, ReserveBytes: 64 << 20})
//	e, err := engine.Open(s, world)   // a Store is an engine.Journal
//	m, err := memory.Open(s, memory.Options{…}) // and what package memory keeps entries in
//	...
//	err = s.Close()
//
// # Keys
//
// A key begins with one byte that says what it holds. Integers are big-endian, so
// that keys sort as their numbers do. A string inside a key that is not the last
// part has its length in bytes before it, as 4 bytes.
//
//	M "format"                 the version of this layout
//	M "name"                   a random text that tells this store from others
//	J index(8)                 one journal record, index from 1
//	R principal channel id     one request
//	r index(8)                 the request that the record at the index accepted
//	S index(8)                 the snapshot of the state after the record at the index
//	E id                       one memory entry
//	f id                       that the memory entry was forgotten
//	P channel position(8)      one message sent to a channel
//	A position(8)              one audit record
//	a session position(8)      that the audit record at the position is the session's
//	C id                       one session
//	H session number(8)        one part of a session's archive, number from 1; 0: the
//	                           number of the last part that was dropped
//	T owner ref                a result that is kept whole
//	t owner ref                when it was kept last
//	I …                        the memory's index, with the keys of package index
//	" number(8)                a text that stands in other values, number from 1
//	& number(8) key            that the value under the key refers to the text
//
// The format record is 4 bytes and nothing else, and its key never changes, so
// that any version can read the version of any other. Every other value is
//
//	crc32c(4) body
//
// where the checksum is taken over key and body: a value under a wrong key does
// not pass either. The bodies are
//
//	J  hash of the effects(8)  input as JSON (fsm.MarshalInput)
//	R  engine.Request as JSON
//	r  the request's key
//	S  bytes(8) of all records up to it  time(8) of the last input  state.Snapshot as JSON
//	E  fsm.Entry as JSON
//	f  empty
//	P  engine.Message as JSON
//	A  engine.Audit as JSON
//	a  empty
//	C  the caller's
//	H  the caller's; of number 0: number(8)
//	T  time(8)  the text
//	t  time(8)  length(8)
//	I  that package's
//	"  the text
//	&  empty
//
// The input of J, the state of S, the text of T, and the bodies of R, E, P, A, C and H (but
// number 0) are forms of package text: what is long in them is kept once, under its number,
// and referred to. A body that was written in an older format is its own form.
//
// A store of a newer layout is refused with [ErrNewerFormat] and not a byte of it
// is changed: the version is read through a read-only opening first.
//
// # Durability
//
// One Append is one Pebble batch: all of it or nothing. All writes share one
// write-ahead log, so a synced write makes every write before it durable too. A
// memory entry and a session are therefore put without a sync of their own: the
// next barrier, in the same log, syncs them, and a crash before that barrier loses
// them together with the record that says they were stored.
//
// # Texts
//
// A value, the marks of what it refers to, and the texts that were not there are written in one
// batch, and so are the deletion of a value, that of its marks, and that of the texts that no mark
// is left of (JRN-34). Whoever writes or deletes marks does so alone, until the batch can be
// seen; the sync comes after that. Where a mark cannot be read, its text is kept.
//
// # Trimming
//
// A Trim is one synced batch. Records and snapshots go by a range deletion each, after
// what they refer to was read, the rest one by one. Pebble gives the disk back what was
// deleted only where it compacts: once a good part of the store was deleted, the store has
// all of it compacted, in the background.
//
// # Damage
//
// [Look] tells by names alone whether a store is there and whole (JRN-29), [Store.Examine]
// reads all of one that opens (JRN-30), the anchor says how far the journal was durable
// (JRN-31), and [Salvage] reads what can be read of one that does not open, of which
// [Wreck.Rebuild] makes another (JRN-32).
//
// # Failed writes
//
// Pebble cannot go on after a failed write to its log or manifest. Depending on
// where it meets one, it calls Logger.Fatalf, which must not return, or panics on
// whichever goroutine it is, once with a lock in a state that no recover mends. A
// library must not end the process, so Pebble is never told: its file system here
// is one on which a write that fails remembers the error and does not return, and
// Fatalf does the same. So do a rename and a list of a folder: while it opens, Pebble
// answers their failure by closing what its compactions use. Each write of the store runs on a goroutine of its own,
// which the caller no longer waits for once there is a failure. From then on every
// method returns the error, [Store.Failed] is closed, and the folder stays locked
// until the process ends. That is the daemon's part: it must end, and the next start
// recovers all that was acknowledged.
//
// A full disk fails a write only when there is nothing left to give up: with
// [Options.BallastBytes] the folder has a file named ballast that takes so much space,
// is removed when a write finds none, so that the write is tried again, and is made
// again by [Store.Space] once there is room for it above the reserve.
package store
