// Package week has the daemon work for days of virtual time, as it does where people live with
// it, and holds what it takes of the disk and of memory against the bounds of JRN-35. The loop,
// the store on a real disk, the memory, the sessions, the file tools and the log are the
// daemon's own; the model answers at once (see TestJRN35).
package week
