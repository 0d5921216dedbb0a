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
// that eval is given. -c may be among other letters, as in -ec. The text that env splits counts as one.
func scriptOf(words []word) (string, bool) {
	if words[0].known && words[0].text == "eval" {
		var texts []string
		for _, w := range words[1:] {
			texts = append(texts, w.text)
		}
		return strings.Join(texts, " "), !slices.ContainsFunc(words, func(w word) bool { return !w.known })
	}
	if words[0].known && path.Base(words[0].text) == "env" {
		return split(words)
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

// wrapper is a program that runs the command in its arguments.
type wrapper struct {
	words  int    // other than options that come before the command
	valued string // its options that are followed by a value in a word of its own
}

var wrappers = map[string]wrapper{
	"env":  {0, "-u -C -a -S --unset --chdir --argv0 --split-string"},
	"exec": {0, "-a"}, "command": {}, "builtin": {}, "nohup": {}, "setsid": {}, "busybox": {},
	"nice":    {0, "-n --adjustment"},
	"stdbuf":  {0, "-i -o -e --input --output --error"},
	"time":    {0, "-o -f --output --format"},
	"ionice":  {0, "-c -n --class --classdata"},
	"xargs":   {0, "-n -s -I -L -P -a -d -E -J -R --max-args --max-chars --max-procs --arg-file --delimiter --process-slot-var"},
	"timeout": {1, "-s -k --signal --kill-after"},
	"chrt":    {1, "-T -P -D --sched-runtime --sched-period --sched-deadline"},
}

// unwrap returns the command that a wrapper runs, or nil.
func unwrap(words []word) []word {
	name := path.Base(words[0].text)
	of, ok := wrappers[name]
	if !ok || !words[0].known {
		return nil
	}
	skip := of.words
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case !w.known:
			return nil
		case name == "command" && looksUp(w.text):
			return nil
		case strings.HasPrefix(w.text, "-"):
			if of.takesNext(w.text) {
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

// looksUp reports whether an option of the shell's command makes it say what a name stands for, and run
// nothing.
func looksUp(option string) bool {
	return strings.HasPrefix(option, "-") && option != "--" && strings.Trim(option[1:], "pvV") == "" && strings.ContainsAny(option, "vV")
}

// executed returns the commands that find runs for what it finds.
func executed(words []word) (list [][]word) {
	if !words[0].known || path.Base(words[0].text) != "find" {
		return nil
	}
	begin := 0 // of a command; 0: none has begun
	for i, w := range words {
		switch {
		case begin == 0 && slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, w.text):
			begin = i + 1
		case begin > 0 && (w.text == ";" || w.text == "+" && words[i-1].text == "{}"):
			list = append(list, words[begin:i])
			begin = 0
		}
	}
	return list
}

// takesNext reports whether the word after an option, or after several letters in one, is its value. A
// long option may be cut.
func (p wrapper) takesNext(option string) bool {
	valued := strings.Fields(p.valued)
	if strings.HasPrefix(option, "--") {
		return len(option) > 2 && slices.ContainsFunc(valued, func(v string) bool { return strings.HasPrefix(v, option) })
	}
	for i := 1; i < len(option); i++ {
		if slices.Contains(valued, "-"+option[i:i+1]) {
			return i == len(option)-1
		}
	}
	return false
}

// split returns the command that env makes of the text after -S, or --split-string, and of the words after
// it.
func split(words []word) (string, bool) {
	for i := 1; i < len(words) && words[i].known; i++ {
		text := words[i].text
		option, value, glued := text, "", false
		if letters, after, is := strings.Cut(text, "S"); is && strings.HasPrefix(text, "-") && strings.Trim(letters[1:], "iv0") == "" {
			option, value, glued = "-S", after, after != ""
		} else if strings.HasPrefix(text, "--") {
			option, value, glued = strings.Cut(text, "=")
		}
		switch {
		case option == "-S", strings.HasPrefix(option, "--s") && strings.HasPrefix("--split-string", option):
			rest := words[i+1:]
			if !glued && len(rest) > 0 && rest[0].known {
				value, rest = rest[0].text, rest[1:]
			}
			return joined("env "+value, rest)
		case strings.HasPrefix(text, "-"):
			if wrappers["env"].takesNext(text) {
				i++
			}
		case !strings.Contains(text, "="):
			return "", false
		}
	}
	return "", false
}

// joined adds words to a text that a shell could read; it returns false if one is not known.
func joined(text string, words []word) (string, bool) {
	for _, w := range words {
		quoted, err := syntax.Quote(w.text, syntax.LangBash)
		if err != nil || !w.known {
			return "", false
		}
		text += " " + quoted
	}
	return text, true
}
