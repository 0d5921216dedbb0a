//go:build !canary

package fsm

const canary = ""
