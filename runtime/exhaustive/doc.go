// Package exhaustive marks the tests that try each place of something: each write that
// fails, each block that is damaged, each command of a table, each of many histories. They
// differ in data and not in what runs at once, and the race detector makes each ten times as
// dear; so it watches the other tests of their packages, and these run without it.
package exhaustive
