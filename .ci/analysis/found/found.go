// Package found has one finding of each kind of check: a run that misses one proves nothing.
package found

import (
	"strings"
	"sync"
)

// Has is a call that another says better (S1003).
func Has(s string) bool { return strings.Index(s, "x") != -1 }

// Same compares a number with itself (SA4000).
func Same(n int) bool { return n == n }

func unused() {} // by nothing of its package (U1000)

// Ignores says of nothing that it is to be ignored (S1004).
func Ignores() string {
	//lint:ignore S1004 there is nothing here
	return ""
}

// Ignored is what is not reported.
func Ignored(s string) bool {
	//lint:ignore S1003 as a trial
	return strings.Index(s, "y") != -1
}

// Locked copies a lock (copylocks, a check of go vet that staticcheck does not have).
func Locked(sync.Mutex) {}
