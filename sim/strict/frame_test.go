package strict

import (
	"strings"
	"testing"
)

func TestFramePutsTheCaretUnderThePlace(t *testing.T) {
	long := strings.Repeat("a", 200) + "HERE" + strings.Repeat("b", 200)
	tests := []struct {
		name   string
		source string
		at     Pos
		want   []string // the lines, without the margin
	}{
		{"first line", "ab\ncd\n", Pos{Line: 1, Col: 2}, []string{"ab", " ^"}},
		{"two lines before", "1\n2\n3\n4\n", Pos{Line: 4, Col: 1}, []string{"2", "3", "4", "^"}},
		{"after the line's end", "ab\n", Pos{Line: 1, Col: 9}, []string{"ab", "  ^"}},
		{"wide characters take two columns", "磁盘: x\n", Pos{Line: 1, Col: 5}, []string{"磁盘: x", "      ^"}},
		{"so do emoji", "😀✅: x\n", Pos{Line: 1, Col: 3}, []string{"😀✅: x", "    ^"}},
		{"combining marks take none", "e\u0301x\n", Pos{Line: 1, Col: 3}, []string{"e\u0301x", " ^"}},
		{"tabs and escapes are replaced", "a\tb\x1b[31m\n", Pos{Line: 1, Col: 4}, []string{"a b\uFFFD[31m", "   ^"}},
		{"carriage return", "ab\r\n", Pos{Line: 1, Col: 1}, []string{"ab", "^"}},
		{"long line, near", long, Pos{Line: 1, Col: 1}, []string{strings.Repeat("a", 120) + "…", "^"}},
		{"long line, far", long, Pos{Line: 1, Col: 201}, []string{
			"…" + strings.Repeat("a", 60) + "HERE" + strings.Repeat("b", 56) + "…", strings.Repeat(" ", 61) + "^",
		}},
		{"no such line", "ab\n", Pos{Line: 9, Col: 1}, nil},
		{"no place", "ab\n", Pos{}, nil},
		{"no source", "", Pos{Line: 1, Col: 1}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for line := range strings.Lines(Sources{"": []byte(test.source)}.Frame(test.at)) {
				_, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " | ")
				got = append(got, text)
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("frame:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}
