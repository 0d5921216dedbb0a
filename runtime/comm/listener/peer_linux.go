package listener

import "golang.org/x/sys/unix"

// private sets the mode of a socket before it is bound, so that its name is usable only by its
// owner from the beginning.
func private(fd uintptr) { _ = unix.Fchmod(int(fd), 0o600) } // the name's own mode is set as well

func peerUID(fd uintptr) (uid int, known bool) {
	peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, false
	}
	return int(peer.Uid), true
}
