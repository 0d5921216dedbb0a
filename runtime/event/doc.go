// Package event raises shelly's own events: it watches files, disks, memory, load, processes and
// units, and tells the daemon about changes that deserve an event (EVT).
//
// A [Source] observes, and knows nothing about events: it reports changed files, numbers and
// states to a [Sink]. Package settle, which is pure and gets the time as an argument, decides
// whether and when a report becomes an event: after a quiet time, past a threshold with
// hysteresis, no more often than a rate allows. The event is an [fsm.EventRaised], which is durable
// before it counts as told; from then on the machine decides. Package source has the sources.
//
//	sources ── Sink ──▶ settle ── Engine ──▶ daemon (a durable fsm.EventRaised)
//
// The [Engine] keeps two things across a restart, in events.json in the data folder: the
// time up to which changes of a source's files were reported, and the states that were
// reported last. So changes made while no process ran are reported at the next start, and
// unchanged states are not reported again. The file is written after the event is durable:
// after a crash between the two, the event is raised once more.
package event
