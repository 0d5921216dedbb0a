package tool

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"shelly/runtime/sandbox"
	"shelly/runtime/tool/program"
)

// To a model, a command that fails because of where it runs looks wrong, and so it tries others, which fail
// as well. So the result says what the writer of a command may not know (TOL-104).

// surroundings are what there is around a command.
type surroundings struct {
	offline bool                                       // it has no network
	kept    bool                                       // it changes nothing outside the workspace
	path    string                                     // the folders in which its programs are looked up
	find    func(name string) (path string, seen bool) // a program that the daemon would find: "", if none; and whether commands see it
}

// pathShownMax bounds a path in a remark.
const pathShownMax = 200

func (e *Exec) surroundings() surroundings {
	contained, path := e.Box.Rung() != sandbox.None, ""
	for _, variable := range append(program.Env("", e.Path...), e.Env...) { // the last one counts
		if of, is := strings.CutPrefix(variable, "PATH="); is {
			path = of
		}
	}
	return surroundings{
		offline: !e.Network && contained,
		kept:    contained,
		path:    path,
		find: func(name string) (string, bool) {
			path, err := exec.LookPath(name)
			if err != nil || len(path) > pathShownMax {
				return "", false
			}
			return path, e.Box.Shows(path)
		},
	}
}

// outcome is how a command ended, as far as it tells what it has run into.
type outcome struct {
	command string
	out     string
	silent  bool // it has failed and said nothing
	late    bool // it took too long
}

// remarks returns what a command has run into, as far as its outcome shows that. All of it is true, whatever the
// output means.
func (s surroundings) remarks(e outcome) string {
	var b strings.Builder
	out := e.out
	if s.offline && (noNetwork.MatchString(out) || e.silent && fetches.MatchString(e.command) || e.late && mayFetch.MatchString(e.command)) {
		b.WriteString("[commands have no network]\n")
	}
	if ofBash.MatchString(out) {
		b.WriteString("[this is sh; bash -c runs what only bash knows]\n")
	}
	if name := absentIn(out); name != "" {
		b.WriteString(s.whereIs(name))
	}
	if s.kept && strings.Contains(out, "Read-only file system") {
		b.WriteString("[commands change nothing outside the workspace, nor what is protected in it]\n")
	}
	return b.String()
}

// whereIs returns a remark on a program that was not found, if there is one after all; or, as of python and pip on
// many systems, one with a 3.
func (s surroundings) whereIs(name string) string {
	path, seen := s.find(name)
	if path == "" {
		if newer, seen := s.find(name + "3"); newer != "" && seen {
			return "[there is " + name + "3]\n"
		}
		return ""
	}
	if seen && slices.Contains(filepath.SplitList(s.path), filepath.Dir(path)) {
		return "[" + name + " is " + path + ", which is not in the PATH that the command has set]\n"
	}
	if seen {
		return "[" + name + " is " + path + ", which is not in the PATH of commands]\n"
	}
	return "[" + name + " is " + path + ", which commands do not see; the operator can add its folder to tools.exec.path]\n"
}

// What programs write if they find no network; commands that say nothing if there is none, and such as wait for one;
// what the usual sh says of the words of bash; and what shells say of a program that they do not find.
var (
	noNetwork = regexp.MustCompile(`(?i)could(?: not|n't) resolve|name resolution|name or service not known|network is unreachable|getaddrinfo|no such host|failed to establish a new connection`)
	fetches   = regexp.MustCompile(`(?m)(?:^(?:/bin/sh -c )?|[;&|({!` + "`" + `]|\b(?:do|else|env|if|then|time|timeout\s+\S+|while)\s)\s*(?:\w+=\S*\s+)*(?:curl|wget)\b`)
	mayFetch  = regexp.MustCompile(`://|\b(?:npx|curl|wget|ssh|scp)\b|\b(?:npm|pnpm|yarn|pip3?|apt|apt-get|cargo|go|git|docker)\b[^;&|\n]*\s(?:add|ci|clone|create|download|fetch|get|i|init|install|mod|pull|push|search|update|upgrade)\b`)
	ofBash    = regexp.MustCompile(`(?m)^(?:/bin/)?sh: (?:line )?[0-9]+: (?:(?:source|\[\[|shopt|declare|typeset|let|pushd|popd|function|mapfile|readarray): not found|Bad substitution|set: Illegal option -o pipefail|Syntax error: (?:"\("|redirection) unexpected|Syntax error: Bad for loop variable)`)
	absent    = regexp.MustCompile(`(?m)^\S*sh: (?:line )?[0-9]+: ([^\s:/]+): (?:not found|command not found)$`)
)

// absentIn returns the first program that was not found, or "".
func absentIn(out string) string {
	if found := absent.FindStringSubmatch(out); found != nil {
		return found[1]
	}
	return ""
}
