package wording

import "strings"

// ShellWord returns a word as a shell takes it (CLI-217): a command that a person is told can be pasted, whatever
// is in the name of a folder.
func ShellWord(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\n'\"\\$&|;<>()*?[]#~`!{}^") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// ShellPath is [ShellWord] for the path of a file, which no command takes for a flag.
func ShellPath(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return ShellWord(path)
}

// ShellArgument returns an argument with the flags after it, or after -- where it would be taken for a flag
// itself. Nothing but further arguments can follow.
func ShellArgument(word string, flags ...string) string {
	list := append([]string{ShellWord(word)}, flags...)
	if strings.HasPrefix(word, "-") {
		list = append(append([]string{}, flags...), "--", ShellWord(word))
	}
	return strings.Join(list, " ")
}
