//go:build canary_unsynced_tool

package fsm

const canary = canaryUnsyncedTool
