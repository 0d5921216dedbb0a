// Package on is called by the machine's code in a build of mutants: each changed place asks
// here whether its change is on. At most one is.
package on

import (
	"cmp"
	"fmt"
	"os"
	"strconv"

	"shelly/runtime/system"
)

// Environment variables that are read at the start.
const (
	Variable      = "SHELLY_MUTANT"       // the number of the mutant that is on
	WatchVariable = "SHELLY_MUTANT_WATCH" // a file with a byte for each number from 0 up, which becomes 1 when a mutant is met
)

var (
	mutant  = given() // 0: none
	file    = watched()
	reached []bool // by number; nil: not recorded
)

// Number is a type that a mutated expression may have.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func given() int {
	n, _ := strconv.Atoi(os.Getenv(Variable)) // not a number: none
	if n > 0 {
		Bound()
	}
	return n
}

// watched returns the file in which met mutants are recorded, or nil.
func watched() *os.File {
	path := os.Getenv(WatchVariable)
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	info, err := f.Stat()
	if err != nil {
		panic(err)
	}
	Watch(int(info.Size()) - 1)
	return f
}

// memoryMax is how many bytes a process with a mutant may map.
const memoryMax = 8 << 30

// Bound limits the memory of this process, because a change may make something grow without end.
// It panics if that is not possible.
func Bound() {
	if err := system.LimitMemory(memoryMax); err != nil {
		panic(fmt.Sprintf("cannot limit the memory of a mutant: %v", err))
	}
}

// Set switches mutant n on, and every other off.
func Set(n int) { mutant = n }

// Watch begins to record which mutants up to n are met: the returned slice is set at their
// numbers.
func Watch(n int) []bool {
	reached = make([]bool, n+1)
	return reached
}

// Is reports whether mutant n is on.
func Is(n int) bool {
	if reached != nil && !reached[n] {
		reached[n] = true
		if file != nil {
			record(n)
		}
	}
	return mutant == n
}

func record(n int) {
	if _, err := file.WriteAt([]byte{1}, int64(n)); err != nil {
		panic(err)
	}
}

// Not returns a condition, or its opposite.
func Not(n int, holds bool) bool { return Is(n) != holds }

// And returns a && b, or a || b.
func And(n int, a bool, b func() bool) bool {
	if Is(n) {
		return a || b()
	}
	return a && b()
}

// Or returns a || b, or a && b.
func Or(n int, a bool, b func() bool) bool {
	if Is(n) {
		return a && b()
	}
	return a || b()
}

// Less returns a < b, or a <= b.
func Less[T cmp.Ordered](n int, a, b T) bool { return a < b || Is(n) && a == b }

// AtMost returns a <= b, or a < b.
func AtMost[T cmp.Ordered](n int, a, b T) bool { return a < b || !Is(n) && a == b }

// More returns a > b, or a >= b.
func More[T cmp.Ordered](n int, a, b T) bool { return a > b || Is(n) && a == b }

// AtLeast returns a >= b, or a > b.
func AtLeast[T cmp.Ordered](n int, a, b T) bool { return a > b || !Is(n) && a == b }

// Add returns a + b, or a - b.
func Add[T Number](n int, a, b T) T {
	if Is(n) {
		return a - b
	}
	return a + b
}

// Sub returns a - b, or a + b.
func Sub[T Number](n int, a, b T) T {
	if Is(n) {
		return a + b
	}
	return a - b
}
