// Package ignore reads .gitignore files and says what they leave out, as git does.
//
// Patterns are matched by doublestar, a small library without dependencies that knows ** as
// git does; what of git's rules it does not know (anchors, negation, folders) is here. The
// files of .git and of the user are not looked at, and it does not matter whether there is
// a repository.
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

// Rules are those of the .gitignore of a folder, and by Above those of the folders above it.
// Nil has none.
type Rules struct {
	Above *Rules
	Dir   string // the folder, absolute
	rules []rule
}

// Parse reads the text of a .gitignore in the folder dir. What is no pattern is left out.
func Parse(above *Rules, dir, text string) *Rules {
	r := &Rules{Above: above, Dir: dir}
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
		line = rest + "/**/*" // what is in the folder, and not the folder
	}
	if !anchored {
		line = "**/" + line
	}
	// Braces are letters to git.
	r.pattern = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
	return r, doublestar.ValidatePattern(r.pattern)
}

// Ignored reports whether what has an absolute path is left out. The last rule that fits
// decides, and the nearest folder's first. It does not look at the folders above the path:
// who walks a tree does not go into those that are ignored.
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
