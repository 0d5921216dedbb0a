package supervise

import (
	"fmt"
	"math"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// sendTimeout bounds the sending of a message that the supervisor does not read.
const sendTimeout = time.Second

// The variables of the protocol. The daemon's own children must not get any of them.
const (
	socketVariable   = "NOTIFY_SOCKET"
	watchdogVariable = "WATCHDOG_USEC"
	watchedVariable  = "WATCHDOG_PID"
)

// notifier sends messages to the supervisor's socket.
type notifier struct{ socket string }

// send sends lines as one message. It opens the socket each time, because the supervisor may have
// recreated it.
func (n notifier) send(lines []string) error {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
		return err
	}
	_, err = conn.Write([]byte(strings.Join(lines, "\n")))
	return err
}

// environment is the content of the supervisor's variables.
type environment struct {
	socket   string
	watchdog time.Duration // 0: none
	sockets  int           // passed descriptors, from 3
}

// readEnvironment reads the variables and removes them.
func readEnvironment(pid int) (environment, error) {
	taken := map[string]string{}
	for _, name := range []string{socketVariable, watchdogVariable, watchedVariable, "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"} {
		taken[name] = os.Getenv(name)
		if err := os.Unsetenv(name); err != nil {
			return environment{}, err
		}
	}
	return parseEnvironment(taken, pid)
}

// parseEnvironment parses the variables. Those meant for another process are ignored.
func parseEnvironment(taken map[string]string, pid int) (e environment, err error) {
	e.socket = taken[socketVariable]
	if e.socket != "" && e.socket[0] != '/' && e.socket[0] != '@' {
		return e, fmt.Errorf("%s=%q is neither a path nor an abstract socket", socketVariable, e.socket)
	}
	own := strconv.Itoa(pid)
	if of := taken[watchedVariable]; taken[watchdogVariable] != "" && (of == "" || of == own) {
		usec, err := strconv.ParseInt(taken[watchdogVariable], 10, 64)
		if err != nil || usec <= 0 || usec > math.MaxInt64/int64(time.Microsecond) {
			return e, fmt.Errorf("%s=%q is not a number of microseconds", watchdogVariable, taken[watchdogVariable])
		}
		e.watchdog = time.Duration(usec) * time.Microsecond
	}
	if taken["LISTEN_PID"] == own && taken["LISTEN_FDS"] != "" {
		if e.sockets, err = strconv.Atoi(taken["LISTEN_FDS"]); err != nil || e.sockets < 0 || e.sockets > socketsMax {
			return e, fmt.Errorf("LISTEN_FDS=%q is not a number of sockets, at most %d", taken["LISTEN_FDS"], socketsMax)
		}
	}
	return e, nil
}
