package file

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"

	"shelly/fsm/wording"
	"shelly/runtime/tool"
)

// filter matches paths against patterns; one without a slash matches names in any folder.
type filter struct {
	patterns []string
	anyCase  bool   // the patterns are in lower case, and so is what is compared with them
	note     string // how the pattern was read, if not as it stands

	out    string // what .gitignore leaves out, and a folder, that the pattern may have meant
	folder string
}

// newFilter parses a pattern, which begins at a folder; an empty one matches every path.
func (t *Tools) newFilter(pattern, where string) (filter, error) {
	pattern = t.fromWhere(pattern, where)
	if pattern == "" || pattern == "." {
		return filter{patterns: []string{"**"}}, nil
	}
	switch {
	case len(pattern) > patternMax: // braces in braces take the square of it at each path
		return filter{}, tool.Refuse("a pattern for names has at most %d bytes, and this one %d", patternMax, len(pattern))
	case strings.HasPrefix(pattern, "/"):
		return filter{}, tool.Refuse("a pattern begins at path; give the folder as path, and the pattern from there, such as **/*.go")
	case slices.Contains(strings.Split(pattern, "/"), ".."):
		return filter{}, tool.Refuse("%s has .., which no pattern may have; give the folder as path, and the pattern from there", strconv.Quote(pattern))
	}
	if strings.HasSuffix(pattern, "/") { // what is in the folder
		pattern += "**"
	}
	if !doublestar.ValidatePattern(pattern) {
		return filter{}, tool.Refuse("%s is not a pattern; it may contain *, **, ?, [a-z] and {a,b}, such as src/**/*.go", strconv.Quote(pattern))
	}
	if alternatives(pattern) > alternativesMax {
		return filter{}, tool.Refuse("the braces of %s stand for more than %d patterns; use fewer of them", strconv.Quote(wording.Clip(pattern, wording.ShownMax)), alternativesMax)
	}
	return filter{patterns: anywhere(several(adjoining.ReplaceAllString(pattern, "$1**/*$2"))...)}, nil
}

// fromWhere returns a pattern as it is from a folder on: without the workspace's path.
func (t *Tools) fromWhere(pattern, where string) string {
	pattern = norm.NFC.String(strings.TrimPrefix(strings.TrimSpace(pattern), "./"))
	if path.Clean(where) == "." && path.IsAbs(pattern) {
		pattern = t.relative(pattern)
	}
	return pattern
}

// several returns the patterns that a text lists, as in "*.go, *.md"; one that has braces, or in which
// not each of them has a star, is a single one. Names may have blanks: these alone are between patterns that
// begin like one, such as *.go or src/*.
func several(text string) []string {
	list := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;| ", r) })
	single := func(one string) bool { return !strings.Contains(one, "*") }
	if !strings.ContainsAny(text, ",;|") {
		single = func(one string) bool {
			return !strings.HasPrefix(one, "*.") && (!strings.Contains(one, "*") || !strings.Contains(one, "/"))
		}
	}
	if len(list) < 2 || strings.ContainsAny(text, `{[\`) || slices.ContainsFunc(list, single) {
		return []string{text}
	}
	return list
}

// adjoining is ** with a name right after it, which a matcher takes for a single star.
var adjoining = regexp.MustCompile(`(^|[/{,])\*\*+([^/*},])`)

// anywhere lets patterns without a slash match in any folder.
func anywhere(patterns ...string) []string {
	for i, one := range patterns {
		if !strings.Contains(one, "/") {
			patterns[i] = "**/" + one
		}
	}
	return patterns
}

// otherFilters returns what a pattern, from a folder on, may have meant whose filter matches nothing, the
// likeliest first.
func otherFilters(pattern, where string, as filter) (others []filter) {
	pattern = strings.Trim(pattern, "/")
	if pattern == "" {
		return nil
	}
	below := slices.Clone(as.patterns)
	for i, one := range below {
		below[i] = strings.TrimSuffix(one, "/") + "/**"
	}
	others = append(others,
		filter{patterns: below, note: "[only folders fit: shown is what is in them]\n"},
		filter{patterns: lower(as.patterns), anyCase: true, note: "[nothing fits in this case of letters: shown is what fits in either]\n"})
	if strings.Contains(pattern, "/") {
		others = append(others, filter{patterns: []string{"**/" + pattern}, note: "[nothing fits from the folder on: shown is what fits further down]\n"})
	} else if !strings.ContainsAny(pattern, `*?[{\`) {
		others = append(others, filter{patterns: lower([]string{"**/*" + pattern + "*"}), anyCase: true, note: "[no file has this name: shown are those that have it in theirs]\n"})
	}
	if from, ok := strings.CutPrefix(pattern, path.Clean(where)+"/"); ok {
		others = append(others, filter{patterns: anywhere(from), note: "[a pattern begins at path: shown is what fits without that]\n"})
	}
	if plain := strings.NewReplacer("[", `\[`, "]", `\]`).Replace(pattern); plain != pattern && !strings.Contains(pattern, `\`) {
		others = append(others, filter{patterns: anywhere(plain), note: "[nothing fits [ ] as a choice of letters: shown is what has them in its name]\n"})
	}
	if slashes := strings.ReplaceAll(pattern, `\`, "/"); slashes != pattern && doublestar.ValidatePattern(slashes) {
		others = append(others, filter{patterns: []string{slashes}, note: "[folders are written with / and not \\: shown is what fits so]\n"})
	}
	return others
}

func lower(patterns []string) []string {
	patterns = slices.Clone(patterns)
	for i, one := range patterns {
		patterns[i] = strings.ToLower(one)
	}
	return patterns
}

// alternativesMax bounds the patterns for which one with braces stands: each may be tried at each path.
const alternativesMax = 1000

// alternatives returns for how many patterns one with braces stands at most, or a number above the
// bound.
func alternatives(pattern string) int {
	all := 1
	var open []int // how many alternatives the open braces have
	for i := 0; i < len(pattern) && all <= alternativesMax; i++ {
		last := len(open) - 1
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '{':
			open = append(open, 1)
		case c == ',' && last >= 0:
			open[last]++
		case c == '}' && last >= 0:
			all, open = all*open[last], open[:last]
		}
	}
	return all
}

// fits reports whether a path fits a pattern, whichever way the accents of both are composed.
func (f filter) fits(path string) bool {
	path = norm.NFC.String(path)
	if f.anyCase {
		path = strings.ToLower(path)
	}
	return slices.ContainsFunc(f.patterns, func(pattern string) bool {
		ok, err := doublestar.Match(pattern, path)
		return err == nil && ok
	})
}

// all reports whether the filter matches every path.
func (f filter) all() bool { return f.patterns[0] == "**" }

// miss notes an entry that is no hit but may be what is meant.
func (f *filter) miss(e entry) {
	switch base, _ := doublestar.SplitPattern(f.patterns[0]); {
	case e.ignored && f.out == "" && (f.fits(e.path) || base == e.path || strings.HasPrefix(base, e.path+"/")):
		f.out = e.path
	case e.IsDir() && f.folder == "" && f.fits(e.path):
		f.folder = e.path
	}
}

// missed returns a remark for a result without a hit in a folder.
func (f *filter) missed(where string) string {
	switch {
	case f.all():
	case strings.EqualFold(path.Base(f.out), ".git"):
		return "; " + wording.PathLine(path.Join(where, f.out)) + " is left out"
	case f.out != "":
		return "; .gitignore leaves out " + wording.PathLine(path.Join(where, f.out))
	case f.folder != "":
		return "; " + wording.PathLine(path.Join(where, f.folder)) + " is a folder"
	case strings.ContainsAny(f.patterns[0], ",|") && !strings.Contains(f.patterns[0], "{"):
		return "; several patterns are written {*.a,*.b}"
	}
	return ""
}
