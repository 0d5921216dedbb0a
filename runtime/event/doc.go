// Package event raises events by itself: it looks at files, disks, memory, load, processes and
// units, and tells the daemon what is worth an event (EVT).
//
// A [Source] sees, and knows nothing of events: it reports files that have changed, numbers and
// states to a [Sink]. What it reports goes through package settle, which is pure and decides by
// the time that it is given whether and when it is an event: after a quiet time, past a threshold
// with hysteresis, no more often than a rate allows. What is raised is an [fsm.EventRaised], which
// is durable before the source counts it as told; from there on the machine decides. Package
// source has the sources.
//
//	sources ── Sink ──▶ settle ── Engine ──▶ daemon (a durable fsm.EventRaised)
//
// The [Engine] keeps two things over a restart, in events.json of the data folder: up to when the
// files of a source were told, and the states that were told last. So what changed while no
// process ran is reported at the next start, and what is as it was is not reported again. It is written
// after the event is durable: a crash between the two has the event raised once more.
package event
