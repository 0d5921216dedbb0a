// Package telemetry reports what a daemon does: as metrics ([Metrics], OBS-2), traces
// ([Traces], OBS-3) and log lines ([Lines], OBS-4).
//
// It is a view. [Watch] follows the durable steps of the engine, from which it knows each
// piece of work and each call, and calls its tellers when one begins or ends:
//
//	w := telemetry.New(metrics, traces, telemetry.Lines{Log: log})
//	w.Step(step, machine.View()) // by the loop, after the step is durable
//
// Nothing here decides, waits or writes to the journal: a daemon takes the same steps with and
// without it (OBS-1). No text of a person, a model or a tool leaves through it.
package telemetry
