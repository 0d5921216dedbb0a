package listener

import "golang.org/x/sys/unix"

// private is what this system does not know of: the folder of the socket is what keeps others
// away until its name has its mode.
func private(uintptr) {}

func peerUID(fd uintptr) (uid int, known bool) {
	peer, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, false
	}
	return int(peer.Uid), true
}
