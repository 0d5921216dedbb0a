// Package settle decides when what a source has seen is worth an event: once it has settled,
// and no more often than a rate allows.
//
// It is pure. Every call is given the time, in milliseconds since any beginning, and times
// never decrease. [States] follows what is in one of several states, such as a mount that has
// too little space or a unit that has failed; a [Level] makes a state of a number. [Files]
// gathers changes of files. Both hold back what their [Rate] does not allow and put it together
// with what comes after it, so that nothing is lost in silence and what they keep is bounded.
package settle
