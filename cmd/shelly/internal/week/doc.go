// Package week runs the daemon through days of virtual time with the load of people who live with
// it, and checks its use of disk and memory against the bounds of JRN-35. The loop, the store on
// a real disk, the memory, the sessions, the file tools and the log are the daemon's own; the
// model answers at once (see TestJRN35).
package week
