// Package supervise talks to the supervisor that started the daemon, by the protocol of
// systemd: sd_notify(3) and sd_listen_fds(3).
//
//	given, err := supervise.Take() // first of all: it removes the variables from the environment
//	s := given.Supervisor
//	s.Start(supervise.Options{Ask: ask, Log: log})
//	defer s.Close()
//	…
//	s.Look()      // when the lifecycle has changed
//	s.Reloading() // and s.Reloaded()
//	s.Stopping()  // after a signal
//
// The supervisor is sent READY=1 once the daemon serves, STOPPING=1 when it begins to stop,
// RELOADING=1 while it reads its configuration, STATUS= in words, and WATCHDOG=1 each time
// the daemon's loop has answered: a loop that hangs sends none, so the supervisor kills the
// process. EXTEND_TIMEOUT_USEC keeps a long recovery or stop from being cut short.
//
// Without a supervisor, all of it does nothing.
//
// The library github.com/coreos/go-systemd, which sends the same lines, is not used, because most
// of the work here would remain: which socket is for what, loopback only, when to send, and
// removing all four variables from the environment.
package supervise
