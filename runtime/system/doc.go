// Package system is what differs between operating systems: file locks, owners and
// links, and the limits of a process. If a system does not have something, its
// function's result says so, and what relies on it guarantees less; shelly is made for Linux.
package system
