//go:build !canary

package store

const canary Canary = ""
