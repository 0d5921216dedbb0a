// Package policy looks at a command before it runs, and refuses early what would come to
// nothing good, with a word on why.
//
// It contains nothing: the text that is looked at is not what runs. A name can be made of
// parts, a script be written first and run later, a harmless program have a harmful option.
// What holds a command is package sandbox. So a guard here speaks only where what it sees is
// plain, and what it cannot see it lets through, but for a list of the only commands
// allowed.
package policy
