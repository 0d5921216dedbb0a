package skill

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Check lists where a usable skill breaks the specification, or will not work as its author may
// expect (CLI-91).
func Check(s Skill) []string {
	var found []string
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if !publishable().MatchString(s.Name) {
		add("name: %q is not of lower-case letters, digits and single hyphens, which other programs require", s.Name)
	}
	if s.unnamed {
		add("front matter: name is missing; other programs require name: %s", s.Name)
	}
	if s.mended {
		add("front matter: a text with a colon or another special character of YAML has no quotes; put it in quotes")
	}
	for _, key := range s.unknown {
		add("front matter: %q is not a key of the specification; put your own keys below metadata", key)
	}
	if n := utf8.RuneCountInString(s.Compatibility); n > 500 {
		add("compatibility: %d characters long, and the most is 500", n)
	}
	if n := strings.Count(s.Body, "\n") + 1; n > 500 {
		add("instructions: %d lines long; at most 500 are advised, the rest as files in references", n)
	}
	return append(found, missing(s)...)
}

// Compiled on first use: character classes take long to compile, and every command would wait.
var (
	publishable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{Ll}\p{Lo}\pN]+(-[\p{Ll}\p{Lo}\pN]+)*$`) })
	inside      = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`([\pL\pN_./~$%{}-]*?)((?:references|scripts|assets)/[\pL\pN_./-]*[\pL\pN_])`)
	})
)

// missing lists the files in the skill's folders that the instructions name but that do not
// exist.
func missing(s Skill) []string {
	var found, seen []string
	for _, named := range inside().FindAllStringSubmatch(s.Body, -1) {
		before, file := named[1], path.Clean(named[2])
		if slices.Contains(seen, file) || !s.owns(before) {
			continue
		}
		seen = append(seen, file)
		under := func(f string) bool { return f == file || strings.HasPrefix(f, file+"/") }
		if !slices.ContainsFunc(s.Files, under) {
			found = append(found, fmt.Sprintf("instructions: they name %s, which does not exist", file))
		}
	}
	return found
}

// owns reports whether a path that begins so is in the skill's folder: it is relative to it, or
// leads to it by its name or by a variable. Others are a page's, or the workspace's.
func (s *Skill) owns(before string) bool {
	folder, is := strings.CutSuffix(before, "/")
	return before == "" || is && (folder == "" || folder == "." || path.Base(folder) == s.dir || strings.ContainsAny(folder, "$%{"))
}
