// Package settle decides when something that a source has seen becomes an event: once it has
// settled, and no more often than a rate allows.
//
// It is pure. Every call gets the time, in milliseconds from any origin; times never decrease.
// [States] follows things that are in one of several states, such as a mount that has
// too little space or a unit that has failed; a [Level] turns a number into a state. [Files]
// gathers changes of files. Both hold back what their [Rate] does not allow and merge it with
// what comes later, so that nothing is lost silently and what they keep is bounded.
package settle
