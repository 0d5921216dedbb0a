// Package process tells the processes of this machine apart.
//
// A process's number is not enough: once it has ended, another process may get the number. On
// Linux the time of its start tells them apart; on other systems that is unknown.
package process

// Entry is a process as the system shows it.
type Entry struct {
	PID, Parent int
	Start       uint64 // in ticks since the machine's start
	Dead        bool   // it has ended, and its parent has not waited for it yet
	Name        string
}
