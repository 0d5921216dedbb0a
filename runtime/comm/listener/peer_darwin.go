package listener

import "golang.org/x/sys/unix"

// private does nothing on this system: until the socket's name has its mode, its folder keeps
// others away.
func private(uintptr) {}

func peerUID(fd uintptr) (uid int, known bool) {
	peer, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, false
	}
	return int(peer.Uid), true
}
