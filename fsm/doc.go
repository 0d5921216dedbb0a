// Package fsm defines what shelly's machine takes in and asks for, as plain data: the facts
// that an [Input] brings, the effects that a step returns, and what both are made of
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
// fsm/engine drives a machine with a journal, and fsm/wording writes numbers and foreign
// texts for messages.
//
// A fact is described once, in kind.go: its name on the wire, how it is read, when it is a
// barrier, which call it answers; so is an effect. What is done with each kind is a table
// of rows ([FactTable], [EffectTable]); with a row missing, the process does not start.
//
// All texts that the machine says are in words.go; the prompts are with the profiles.
package fsm
