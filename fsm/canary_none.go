//go:build !canary_reply_twice && !canary_unsynced_tool

package fsm

const canary = ""
