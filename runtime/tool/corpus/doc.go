// Package corpus holds hostile and harmless commands, and a test that runs each of them by
// each way of containing commands, as root and as a user that is not, in a scratch world
// without a network.
//
//	make sandbox              # all of them
//	go test ./runtime/tool/corpus    # some, as the present user
//
// A case of testdata/cases.json has an id, the command (or argv) and a folder (dir), why it
// is there, and what must become of it:
//
//	want       allow: it runs and every check holds; contained: whatever it does, nothing
//	           outside changes or is told; deny: it is refused before anything runs
//	check      exit:N, stdout_contains:S, stdout_lacks:S, after:SCRIPT (run in the workspace
//	           afterwards), no_lost, disk; besides those that hold for every case
//	policy     it is never run: the policy alone is asked
//	isolated   it is run only where a pid namespace of the test's own is around it
//	may_deny   that the policy refuses it is right as well
//	leaks      the ways that are known not to hold it; root_leaks: not for root
//	unless     the ways by which the harmless command is known not to work
//	needs      programs without which it is skipped, visibly
//
// {{WS}}, {{OUT}}, {{HOME}}, {{DATA}}, {{CONFIG}}, {{PORT}} and so on stand for places of the
// scratch world; see world_test.go.
package corpus
