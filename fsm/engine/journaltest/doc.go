// Package journaltest is the one conformance suite that every engine.Journal
// passes:
//
//	func TestJournalConforms(t *testing.T) {
//		journaltest.Conform(t, harness{...})
//	}
//
// It is for _test.go files only: it brings in rapid, which registers flags and
// reads the environment when it is linked in.
package journaltest
