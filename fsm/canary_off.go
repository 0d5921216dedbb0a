//go:build !canary

package fsm

const canary = ""

func elsewhere() uint64 { return 0 }
