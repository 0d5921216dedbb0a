//go:build !windows

package chat

import (
	"os"
	"syscall"
)

// signalled returns the signals that a chat handles: the window has another size, the chat
// continues after a stop, or it must end.
func signalled() []os.Signal {
	return []os.Signal{syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGTERM, syscall.SIGHUP}
}

func goesOn(s os.Signal) bool { return s == syscall.SIGCONT }

// stop stops the terminal's foreground processes, as ^Z does.
func stop() { _ = syscall.Kill(0, syscall.SIGTSTP) }
