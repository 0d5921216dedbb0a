//go:build canary_reply_twice

package fsm

const canary = canaryReplyTwice
