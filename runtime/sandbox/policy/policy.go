package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Policy is an operator's rules for commands. A pattern is a command's words separated by
// spaces, where * stands for any text: "git push *". The program's name in it also matches the
// last part of a path.
type Policy struct {
	Only []string // if not empty, nothing else runs
	Deny []string // never run
	Ask  []string // run only after a person has approved
}

// Verdict is the decision about a command.
type Verdict int

// The verdicts, the worst last.
const (
	Runs   Verdict = iota
	Asks           // a person must approve it first
	Denied         // it must not run
)

// Of decides about a shell command, and returns the reason unless it simply runs. Of one that the shell
// cannot parse, only what it runs before the mistake counts: the shell reports the mistake.
func (p Policy) Of(command string) (Verdict, string) { return p.script(command, 0) }

// script decides about a shell command within others.
func (p Policy) script(command string, depth int) (Verdict, string) {
	file, err := parse(command)
	if err != nil && len(p.Only) > 0 {
		return Denied, "the command cannot be read as a shell command, and only those of tools.exec.only are allowed"
	}
	verdict, why := Runs, ""
	worse := func(v Verdict, text string) {
		if v > verdict {
			verdict, why = v, text
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			if bomb(n) {
				worse(Denied, "a function that starts itself over and over takes all processes (fork bomb)")
			}
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				worse(p.call(literals(n.Args), depth))
			}
		case *syntax.Redirect:
			if text, ok := literal(n.Word); ok && isDisk(text) && n.Op != syntax.RdrIn && n.Op != syntax.WordHdoc {
				worse(Denied, "writing to the disk "+text+" itself destroys what is on it")
			}
		}
		return true
	})
	return verdict, why
}

// parse parses a command as bash does, or, because /bin/sh may be a shell to which `[[` and `let` are
// words like others, as one of POSIX does. Not if that would take $'…' for other words than bash does. A shell runs
// the lines before one that it cannot read: with an error, the file has the statements before the mistake.
func parse(command string) (*syntax.File, error) {
	file, err := statements(command, syntax.LangBash)
	if err == nil || strings.Contains(strings.ReplaceAll(command, "\\\n", ""), "$'") {
		return file, err
	}
	if posix, wrong := statements(command, syntax.LangPOSIX); wrong == nil {
		return posix, nil
	}
	return file, err
}

// hereDocumentsMax is how many here-documents of a command may lack their end.
const hereDocumentsMax = 8

// statements parses the statements of a command. A here-document without an end has it after the last line, as in
// a shell.
func statements(command string, of syntax.LangVariant) (file *syntax.File, err error) {
	for range hereDocumentsMax {
		file, err = new(syntax.File), nil
		for s, wrong := range syntax.NewParser(syntax.Variant(of)).StmtsSeq(strings.NewReader(command)) {
			if wrong != nil {
				err = wrong
				break
			}
			file.Stmts = append(file.Stmts, s)
		}
		wrong := syntax.ParseError{}
		if !errors.As(err, &wrong) {
			return file, err
		}
		quoted, unclosed := strings.CutPrefix(wrong.Text, "unclosed here-document ")
		end, failed := strconv.Unquote(quoted)
		if !unclosed || failed != nil {
			return file, err
		}
		command += "\n\n" + end + "\n" // the last line may end with a backslash
	}
	return file, err
}

// OfWords decides about a command without a shell.
func (p Policy) OfWords(words []string) (Verdict, string) {
	known := make([]word, len(words))
	for i, w := range words {
		known[i] = word{w, true}
	}
	return p.call(known, 0)
}

// depthMax bounds the nesting of commands within commands, each of which is read anew.
const depthMax = 50

// call decides about one simple command.
func (p Policy) call(words []word, depth int) (Verdict, string) {
	verdict, why := p.listed(words)
	if verdict == Denied {
		return verdict, why
	}
	if text := guard(words); text != "" {
		return Denied, text
	}
	if depth >= depthMax {
		return verdict, why
	}
	worse := func(v Verdict, text string) {
		if v > verdict {
			verdict, why = v, text
		}
	}
	if script, ok := scriptOf(words); ok {
		worse(p.script(script, depth+1))
		return verdict, why
	}
	for _, inner := range append(executed(words), unwrap(words)) {
		if len(inner) > 0 {
			worse(p.call(inner, depth+1))
		}
	}
	return verdict, why
}

// listed decides by the operator's lists.
func (p Policy) listed(words []word) (Verdict, string) {
	if pattern := p.match(p.Deny, words); pattern != "" {
		return Denied, fmt.Sprintf("the operator does not allow %q (tools.exec.deny)", pattern)
	}
	if len(p.Only) > 0 && (p.match(p.Only, words) == "" || slices.ContainsFunc(words, func(w word) bool { return !w.known })) {
		return Denied, fmt.Sprintf("only these commands are allowed: %s (tools.exec.only)", strings.Join(p.Only, "; "))
	}
	if pattern := p.match(p.Ask, words); pattern != "" {
		return Asks, fmt.Sprintf("%q needs a person's word (tools.exec.ask)", pattern)
	}
	return Runs, ""
}

// match returns the first pattern that a command matches. A word that is not known matches only
// a *.
func (p Policy) match(patterns []string, words []word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
		if !w.known {
			texts[i] = "\x00"
		}
	}
	whole := strings.Join(texts, " ")
	texts[0] = path.Base(texts[0])
	short := strings.Join(texts, " ")
	for _, pattern := range patterns {
		if fits(pattern, whole) || fits(pattern, short) || strings.HasSuffix(pattern, " *") && fits(strings.TrimSuffix(pattern, " *"), short) {
			return pattern
		}
	}
	return ""
}

// fits reports whether a text matches a pattern.
func fits(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	rest, ok := strings.CutPrefix(text, first)
	if !ok || len(rest) < len(last) || !strings.HasSuffix(rest, last) {
		return false
	}
	rest = rest[:len(rest)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return true
}
