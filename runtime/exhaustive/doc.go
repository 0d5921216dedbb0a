// Package exhaustive marks the tests that try every place: every write that fails, every block
// that is damaged, every command of a table, every one of many histories. Their cases differ in
// data, not in what runs concurrently, and the race detector makes each ten times as slow; so
// these run without it, and it checks the other tests of their packages.
package exhaustive
