// Package system is what differs between operating systems: locks of files, owners and
// links of files, and how much a process may have. Where a system has no such thing, its
// function says so by its result, and what rests on it holds less; shelly is made for Linux.
package system
