// Package process tells the processes of this machine apart.
//
// A number alone does not: once a process has ended, another may get its number. The
// moment of its start does, on Linux. On other systems nothing is known of that.
package process

// Entry is a process as the system shows it.
type Entry struct {
	PID, Parent int
	Start       uint64 // in ticks since the machine's start
	Dead        bool   // its parent has not asked how it ended
	Name        string
}
