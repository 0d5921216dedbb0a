// Package supervise talks to the supervisor that started the daemon, by the protocol of
// systemd: sd_notify(3) and sd_listen_fds(3).
//
//	given, err := supervise.Take() // first of all: it empties the environment
//	s := given.Supervisor
//	s.Start(supervise.Options{Ask: ask, Log: log})
//	defer s.Close()
//	…
//	s.Look()      // the lifecycle has changed
//	s.Reloading() // and s.Reloaded()
//	s.Stopping()  // a signal came
//
// The supervisor hears READY=1 once the daemon serves, STOPPING=1 when it begins to stop,
// RELOADING=1 while it reads its configuration, STATUS= in words, and WATCHDOG=1 each time
// the daemon's loop has answered: a loop that hangs sends none, and the supervisor kills the
// process. EXTEND_TIMEOUT_USEC keeps a long recovery or stop from being cut.
//
// Where no supervisor is, all of it does nothing.
//
// A library for this, github.com/coreos/go-systemd, sends the same lines. What is left to do
// with it (which socket is for what, loopback alone, when to send, emptying the environment of
// all four variables) is most of what stands here, so it is not used.
package supervise
