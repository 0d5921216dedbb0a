// Package telemetry tells what a daemon does: as metrics ([Metrics], OBS-2), as traces
// ([Traces], OBS-3) and as lines of the log ([Lines], OBS-4).
//
// It is a view. [Watch] follows the durable steps of the engine, from which it knows each
// piece of work and each call, and tells its tellers when one begins or ends:
//
//	w := telemetry.New(metrics, traces, telemetry.Lines{Log: log})
//	w.Step(step, machine.View()) // by the loop, after the step is durable
//
// Nothing here decides, waits or writes to the journal: a daemon with it and one without
// take the same steps (OBS-1). No text of a person, a model or a tool leaves by it.
package telemetry
