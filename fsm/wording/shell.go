package wording

import "strings"

// ShellWord returns a word as a shell takes it (CLI-217): a command that a person is told can be pasted, whatever
// a path or an id in it consists of.
func ShellWord(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\n'\"\\$&|;<>()*?[]#~`!{}^") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
