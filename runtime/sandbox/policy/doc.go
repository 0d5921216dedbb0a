// Package policy looks at a command before it runs, and refuses early, with a reason, what would
// do harm or cannot work.
//
// It contains nothing, because the text that it sees is not what runs: a name can be built from
// parts, a script can be written first and run later, a harmless program can have a harmful
// option. Package sandbox is what contains a command. So the policy refuses only what it sees
// plainly, and allows what it cannot see, unless the operator has listed the only commands
// allowed.
package policy
