package listener

import "golang.org/x/sys/unix"

// private lets a socket that is not bound yet have a name that its owner alone may use from
// the beginning.
func private(fd uintptr) { _ = unix.Fchmod(int(fd), 0o600) } // the name's own mode is set, too

func peerUID(fd uintptr) (uid int, known bool) {
	peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, false
	}
	return int(peer.Uid), true
}
