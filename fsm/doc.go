// Package fsm is what shelly's machine hears and asks, as plain data: the facts that an
// [Input] brings, the effects that a step answers with, and what both are made of
// (messages, sessions, tools, limits, prompts, words). It decides nothing.
//
// The packages below it, each of which imports only those before it:
//
//	fsm            facts and effects: their descriptors, wire form and hashes; the
//	               configuration; what can be read off a text, a list of messages or a date
//	fsm/state      the three tables, and what a machine holds: handles, inferences
//	fsm/profile    the named configurations
//	fsm/machine    the machine: it takes a fact, moves through the tables, returns effects
//	fsm/check      the invariants: a monitor that follows a machine step by step
//
// fsm/engine drives a machine with a journal, and fsm/wording says how numbers and
// foreign texts stand in messages.
//
// A fact is described once, in kind.go: its name on the wire, how it is read, when it is
// a barrier, which call it answers; so is an effect. What is done with each kind is a
// table made of rows ([FactTable], [EffectTable]), which does not start with one missing.
//
// All texts that the machine says are in words.go, and the prompts beside the profiles.
package fsm
