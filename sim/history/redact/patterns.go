package redact

import (
	"regexp"
	"slices"
	"strings"
)

// pattern finds credentials of one kind by their shape. What its first group matches
// is the secret; without a group, all that it matches. A text without any of the marks,
// in lower case, holds none: most texts hold no mark, and looking for one is a hundred
// times faster than the shape.
type pattern struct {
	kind  string
	marks []string
	shape *regexp.Regexp
}

// find returns where the pattern finds a secret in a text, whose lower case is small.
func (p pattern) find(text, small string) [][]int {
	if !p.marked(small) {
		return nil
	}
	var list [][]int
	for _, at := range p.shape.FindAllStringSubmatchIndex(text, -1) {
		if len(at) > 2 {
			at = at[2:]
		}
		if at[0] >= 0 && at[0] < at[1] && !(p.kind == assignment && harmless(text[:at[0]], text[at[0]:at[1]])) {
			list = append(list, at[:2])
		}
	}
	return list
}

// marked reports whether a text in lower case holds one of the marks.
func (p pattern) marked(small string) bool {
	return slices.ContainsFunc(p.marks, func(mark string) bool { return strings.Contains(small, mark) })
}

// lower is a text as an expression takes it in which case does not matter: the long s is an s,
// too; other such letters have a lower case.
func lower(text string) string { return strings.ReplaceAll(strings.ToLower(text), "ſ", "s") }

// assignment is the kind of what something is set to whose name says that it is secret.
const assignment = "assignment"

// harmless reports whether what is assigned is no secret: the name of a variable that
// has it, or a number after a colon, which JSON has for a count of tokens.
func harmless(before, value string) bool {
	if strings.HasPrefix(value, "$") && strings.Trim(value, "$_{}ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" {
		return true
	}
	digits := strings.Trim(value, "0123456789.]}") == ""
	return digits && strings.HasSuffix(strings.TrimRight(before, " \t\n"), ":")
}

// patterns are the credentials that are known by their shape, as their issuers document
// them, and then what is called a password. The special before the general: the kind is
// that of the first.
func patterns() []pattern {
	shapes := []struct{ kind, marks, shape string }{
		{"private key", "-----begin", `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-[^-]|--[^-]|---[^-]|----[^-])*(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`},
		{"AWS access key", "akia asia agpa aida aroa anpa anva abia acca", `\b((?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16})\b`},
		{"GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", `\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})`},
		{"GitLab token", "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat-", `\b(gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_-]{20,})`},
		{"Slack token", "xox xapp-", `\b(xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})`},
		{"Slack webhook", "hooks.slack.com/", `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{20,})`},
		{"Google API key", "aiza", `\b(AIza[A-Za-z0-9_-]{35})`},
		{"Google OAuth token", "ya29. gocspx-", `\b(ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})`},
		{"sk- key", "sk- sk_ pk- pk_ rk- rk_ wk- wk_", `\b([sprw]k[-_](?:ant-|proj-|live_|test_|or-|svcacct-)?[A-Za-z0-9_-]{20,})`},
		{"Hugging Face token", "hf_", `\b(hf_[A-Za-z0-9]{30,})`},
		{"npm token", "npm_", `\b(npm_[A-Za-z0-9]{36})`},
		{"JSON Web Token", "eyj", `\b(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{0,})`},
		{"bearer header", "bearer", `(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,})`},
		{"basic header", "basic", `(?i)\bauthorization["']?\s*[:=]\s*["']?basic\s+([A-Za-z0-9+/=]{8,})`},
		{"password in a URL", "://", `(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@"'\\]{0,128}:([^\s/@"'\\]{1,})@`},
		{assignment, "passw passphrase pwd secret token key credential", `(?i)(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)` +
			`\\{0,8}["']?\s{0,3}(?:=>|:=|=|:)\s{0,3}\\{0,8}["']?([^\s"'\\,;&<>]{3,}[^\s"'\\,;&<>(){}\[\]])`},
	}
	var list []pattern
	for _, s := range shapes {
		list = append(list, pattern{s.kind, strings.Fields(s.marks), regexp.MustCompile(s.shape)})
	}
	return list
}
