package chat

import (
	"os"
	"syscall"
)

func signalled() []os.Signal { return []os.Signal{syscall.SIGTERM, syscall.SIGHUP} }

func goesOn(os.Signal) bool { return false }

func stop() {}
