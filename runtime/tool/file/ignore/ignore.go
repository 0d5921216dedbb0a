// Package ignore reads .gitignore files and decides what they leave out, as git does.
//
// Patterns are matched by doublestar, a small library without dependencies that knows ** as
// git does; git's other rules (anchors, negation, folders) are implemented here. The exclude
// files of .git and of the user are ignored, and it does not matter whether there is a
// repository.
package ignore

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of one .gitignore.
const (
	BytesMax = 64 << 10
	rulesMax = 2000
)

// rule is one line.
type rule struct {
	pattern string // of a path below the folder, for doublestar
	keeps   bool   // it begins with !
	folders bool   // it ends with /
}

// Rules are the rules of a folder's .gitignore and, through Above, those of the folders above
// it. Nil has no rules.
type Rules struct {
	Above *Rules
	Dir   string // the folder, absolute
	rules []rule
}

// Parse reads the text of a .gitignore in the folder dir. Invalid patterns are left out.
func Parse(above *Rules, dir, text string) *Rules {
	r := &Rules{Above: above, Dir: dir}
	text = strings.TrimPrefix(text, "\uFEFF")
	for line := range strings.SplitSeq(text, "\n") {
		if one, ok := parseLine(strings.TrimSuffix(line, "\r")); ok && len(r.rules) < rulesMax {
			r.rules = append(r.rules, one)
		}
	}
	return r
}

func parseLine(line string) (rule, bool) {
	var r rule
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		r.keeps, line = true, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		r.folders, line = true, rest
	}
	if line == "" {
		return r, false
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if rest, ok := strings.CutSuffix(line, "/**"); ok {
		line = rest + "/**/*" // the folder's contents, not the folder itself
	}
	if !anchored {
		line = "**/" + line
	}
	// To git, braces are ordinary characters.
	r.pattern = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
	return r, doublestar.ValidatePattern(r.pattern)
}

// Ignored reports whether an absolute path is left out. The last rule that matches decides,
// and the rules of the nearest folder come first. It does not check the folders above the path:
// a walk does not enter ignored ones.
func (r *Rules) Ignored(abs string, folder bool) bool {
	for ; r != nil; r = r.Above {
		below, ok := strings.CutPrefix(abs, strings.TrimSuffix(r.Dir, "/")+"/")
		if !ok {
			continue
		}
		below = path.Clean(below)
		for i := len(r.rules) - 1; i >= 0; i-- {
			one := r.rules[i]
			if one.folders && !folder {
				continue
			}
			if fits, err := doublestar.Match(one.pattern, below); err == nil && fits {
				return !one.keeps
			}
		}
	}
	return false
}
