package policy

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is a word of a command, as far as it is known without running anything.
type word struct {
	text  string
	known bool
}

func literals(args []*syntax.Word) []word {
	words := make([]word, len(args))
	for i, a := range args {
		words[i].text, words[i].known = literal(a)
	}
	return words
}

// literal returns the text of a word in which the shell replaces nothing, except the two names of
// the home folder.
func literal(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	if !write(&b, w.Parts, false) {
		return "", false
	}
	return b.String(), true
}

func write(b *strings.Builder, parts []syntax.WordPart, quoted bool) bool {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(part.Value, quoted))
		case *syntax.SglQuoted:
			if part.Dollar && strings.Contains(part.Value, `\`) {
				return false
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			if !write(b, part.Parts, true) {
				return false
			}
		case *syntax.ParamExp:
			if part.Param == nil || part.Param.Value != "HOME" || part.Exp != nil || part.Repl != nil || part.Slice != nil {
				return false
			}
			b.WriteString("~")
		default:
			return false
		}
	}
	return true
}

// unescape removes the backslashes that the shell removes.
func unescape(text string, quoted bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0) {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// shells are programs that run the text after -c.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "ash"}

// scriptOf returns the text that a shell will run: the first word after -c that is no option, or all
// that eval is given. -c may be among other letters, as in -ec.
func scriptOf(words []word) (string, bool) {
	if words[0].known && words[0].text == "eval" {
		var texts []string
		for _, w := range words[1:] {
			texts = append(texts, w.text)
		}
		return strings.Join(texts, " "), !slices.ContainsFunc(words, func(w word) bool { return !w.known })
	}
	if !words[0].known || !slices.Contains(shells, path.Base(words[0].text)) {
		return "", false
	}
	given := false
	for _, w := range words[1:] {
		option := w.known && strings.HasPrefix(w.text, "-")
		switch {
		case option && !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "c"):
			given = true
		case given && !option:
			return w.text, w.known
		}
	}
	return "", false
}

// wrappers are programs that run the command in their arguments. The number is how many words
// other than options come before the command.
var wrappers = map[string]int{
	"env": 0, "command": 0, "exec": 0, "builtin": 0, "nice": 0, "nohup": 0, "stdbuf": 0, "time": 0, "setsid": 0, "ionice": 0, "xargs": 0,
	"timeout": 1, "chrt": 1, "busybox": 0,
}

// optionsWithValue are the options of wrappers that are followed by a value.
var optionsWithValue = []string{"-n", "-u", "-s", "-k", "-c", "-o", "-e", "-i", "-S", "-C", "-I", "-L", "-P", "-a", "-d"}

// unwrap returns the command that a wrapper runs, or nil.
func unwrap(words []word) []word {
	skip, ok := wrappers[path.Base(words[0].text)]
	if !ok || !words[0].known {
		return nil
	}
	name := path.Base(words[0].text)
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case !w.known:
			return nil
		case strings.HasPrefix(w.text, "-"):
			if slices.Contains(optionsWithValue, w.text) && !(name == "env" && w.text == "-i") && !(name == "stdbuf" && len(w.text) > 2) {
				i++
			}
		case name == "env" && strings.Contains(w.text, "="):
		case skip > 0:
			skip--
		default:
			return words[i:]
		}
	}
	return nil
}
