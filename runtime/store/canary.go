package store

// Canary is a known bug, as fsm.Canary is one: a sync that is left out. A build with
// the tag canary has them all, each asleep until [SetCanary] wakes it, and the tests of
// crashes must find each (SIM-12). Without the tag, canary is the empty string and the
// compiler drops every trace of them.
type Canary string

// The canaries.
const (
	CanaryUnsyncedAppend   Canary = "unsynced_append"   // records that should be durable are only written
	CanaryUnsyncedSnapshot Canary = "unsynced_snapshot" // a snapshot is only written
	CanaryUnsyncedFolder   Canary = "unsynced_folder"   // the folder of a new store is only made
)
