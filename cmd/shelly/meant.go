package main

import (
	"regexp"

	"github.com/alecthomas/kong"
)

// unexpected is what the parser says of a word that is no command, with the one that is spelt like it.
var unexpected = regexp.MustCompile(`^unexpected argument (\S+?)(?:, did you mean .*)?$`)

// meant says of a first word that is no command which one it means: the only one of that name below
// another, such as journal backup, or one that other programs call so.
func meant(text string, at *kong.Node) string {
	found := unexpected.FindStringSubmatch(text)
	if found == nil || at.Parent != nil {
		return text
	}
	command := ""
	switch found[1] {
	case "serve", "start", "daemon", "up":
		command = "run"
	case "ps":
		command = "status"
	default:
		command = onlyBelow(at, found[1])
	}
	if command == "" {
		return text
	}
	return "unexpected argument " + found[1] + `, did you mean "` + command + `"?`
}

// onlyBelow returns the command of a name below the others, if there is only one.
func onlyBelow(app *kong.Node, name string) (command string) {
	for _, group := range app.Children {
		for _, below := range group.Children {
			switch {
			case below.Name != name:
			case command != "":
				return ""
			default:
				command = group.Name + " " + name
			}
		}
	}
	return command
}
