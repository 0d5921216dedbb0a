//go:build !windows

package chat

import (
	"os"
	"syscall"
)

// signalled are the signals that a chat hears: its window has another size, it goes on after a
// stop, and it is to end.
func signalled() []os.Signal {
	return []os.Signal{syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGTERM, syscall.SIGHUP}
}

func goesOn(s os.Signal) bool { return s == syscall.SIGCONT }

// stop stops the processes of the terminal's foreground, as ^Z does.
func stop() { _ = syscall.Kill(0, syscall.SIGTSTP) }
