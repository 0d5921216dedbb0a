// Package corpus holds hostile and harmless commands, and a test that runs each of them in
// each way of containing commands, as root and as an ordinary user, in a scratch world
// without a network.
//
//	make sandbox              # all of them
//	go test ./runtime/tool/corpus    # some, as the present user
//
// A case of testdata/cases.json has an id, the command (or argv) and a folder (dir), the reason
// for it (why), and what must happen:
//
//	want       allow: it runs and every check holds; contained: whatever it does, nothing
//	           outside changes or is revealed; deny: it is refused before anything runs
//	check      exit:N, stdout_contains:S, stdout_lacks:S, after:SCRIPT (run in the workspace
//	           afterwards), no_lost, disk; in addition to those that hold for every case
//	policy     it is never run: only the policy is asked
//	isolated   it is run only inside a pid namespace of the test
//	may_deny   the policy may also refuse it
//	leaks      the ways that are known not to contain it; root_leaks: not for root
//	unless     the ways in which the harmless command is known not to work
//	needs      programs without which it is reported as skipped
//
// {{WS}}, {{OUT}}, {{HOME}}, {{DATA}}, {{CONFIG}}, {{PORT}} and so on stand for places of the
// scratch world; see world_test.go.
package corpus
