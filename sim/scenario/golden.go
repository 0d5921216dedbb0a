package scenario

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"shelly/fsm"
	"shelly/sim"
)

// GoldenSuffix ends the name of every golden. PendingSuffix behind it makes the name
// of what a run got in its place (SCN-36).
const (
	GoldenSuffix  = ".golden.yaml"
	PendingSuffix = ".pending"
)

// GoldenBytesMax is the size of one golden.
const GoldenBytesMax = 1 << 20

const (
	diffLinesMax      = 40  // of a diff that a failure shows
	shownDiffLineByte = 240 // of one of its lines
	goldenHeader      = "# What the scenario beside this file did (expect.golden). Renew it with shelly test --update, and review the change.\n"
)

// Golden is what a case did, as its golden should hold it (SCN-35).
type Golden struct {
	Path  string // of the file, beside the scenario
	Got   []byte // what it should hold; nil where that is more than GoldenBytesMax
	Found bool   // there is such a file
	Holds bool   // and it holds Got
}

// kept is a golden as it was read.
type kept struct {
	found bool
	text  string
}

// GoldenPath returns the path of the case's golden, or "" where it asks for none. Each
// case of a matrix has its own: NAME.SLUG.golden.yaml, after its values.
func (f *File) GoldenPath() string {
	if f.Expect == nil || f.Expect.Golden == nil {
		return ""
	}
	stem := strings.TrimSuffix(f.Path(), Suffix)
	if f.slug != "" {
		stem += "." + f.slug
	}
	return stem + GoldenSuffix
}

// readGoldens reads the goldens that the cases of one file ask for. Without one
// the case fails; one that cannot be read is a problem of the file.
func readGoldens(fsys fs.FS, cases []*File) []Problem {
	var problems []Problem
	for _, f := range cases {
		path := f.GoldenPath()
		if path == "" {
			continue
		}
		text, found, err := readGolden(fsys, path)
		if other := sharesName(fsys, f); other != "" {
			err = fmt.Errorf("would be taken for one of %s; rename that file", other)
		}
		if err != nil {
			problems = append(problems, Problem{Pos: f.where["expect.golden"], Path: "expect.golden", Text: path + " " + err.Error()})
			continue
		}
		f.kept = kept{found, text}
	}
	return problems
}

// sharesName returns a scenario whose goldens a case's would be taken for by its
// name, or "".
func sharesName(fsys fs.FS, f *File) string {
	for i, c := range f.slug + "." {
		if c != '.' || f.slug == "" {
			continue
		}
		other := strings.TrimSuffix(f.Path(), Suffix) + "." + f.slug[:i] + Suffix
		if _, err := fs.Stat(fsys, other); err == nil {
			return other
		}
	}
	return ""
}

// readGolden reads a golden. A link is not followed, since a run that writes must
// not write elsewhere.
func readGolden(fsys fs.FS, path string) (text string, found bool, err error) {
	info, err := fs.Lstat(fsys, path)
	switch {
	case absent(err):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("cannot be read: %w", withoutPath(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return "", false, fmt.Errorf("is a symbolic link; a golden is a regular file")
	case !info.Mode().IsRegular():
		return "", false, fmt.Errorf("is not a regular file")
	case info.Size() > 2*GoldenBytesMax: // line ends of two bytes are none of its size
		return "", false, fmt.Errorf("is too large; the limit is %d KiB", GoldenBytesMax>>10)
	}
	data, err := fs.ReadFile(fsys, path)
	if err != nil {
		return "", false, fmt.Errorf("cannot be read: %w", withoutPath(err))
	}
	// A checkout may have put \r\n for \n; what a case did has \r in escapes only.
	return strings.ReplaceAll(string(data), "\r\n", "\n"), true, nil
}

// golden holds what the case did against its golden.
func (j *judge) golden(aspects []string) *Golden {
	g := &Golden{Path: j.file.GoldenPath(), Found: j.file.kept.found}
	pos := j.file.where["expect.golden"]
	got := j.goldenText(aspects)
	if len(got) > GoldenBytesMax {
		text := fmt.Sprintf("%s would be %d KiB; the limit is %d KiB: ask for less", g.Path, len(got)>>10, GoldenBytesMax>>10)
		j.fail(pos, "expect.golden", mismatch{text: text})
		return g
	}
	g.Got, g.Holds = []byte(got), g.Found && j.file.kept.text == got
	switch {
	case g.Holds:
	case g.Found:
		j.fail(pos, "expect.golden", mismatch{text: "differs from " + g.Path, diff: goldenDiff(g.Path, j.file.kept.text, got)})
	default:
		j.fail(pos, "expect.golden", mismatch{text: "has no file " + g.Path, diff: goldenDiff(g.Path, "", got)})
	}
	return g
}

// goldenDiff is a unified diff of bounded length that is safe to print.
func goldenDiff(path, want, got string) string {
	lines := strings.Split(strings.TrimSuffix(udiff.Unified(path, "this run", want, got), "\n"), "\n")
	rest := len(lines) - diffLinesMax
	lines = lines[:min(len(lines), diffLinesMax)]
	for i, line := range lines {
		lines[i] = clip(strings.Map(printable, line), shownDiffLineByte)
	}
	if rest > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more lines", rest))
	}
	return strings.Join(lines, "\n") + "\n"
}

// goldenText is what the case did, in the order of [aspects], whatever that of the
// file.
func (j *judge) goldenText(asked []string) string {
	v := mapValue("")
	for _, a := range aspects() {
		for _, name := range asked {
			if name == a.name {
				v.members = append(v.members, with(a.name, a.of(j)))
			}
		}
	}
	return goldenHeader + yamlText(v)
}

// aspect is a part of what a case did.
type aspect struct {
	name string
	of   func(*judge) value
}

// aspects lists the parts of what a case did that a golden can hold; the names are
// those of [Expect]'s field.
func aspects() []aspect {
	return []aspect{
		{"replies", func(j *judge) value { return briefs(j.result.Replies(), replyValue) }},
		{"notices", func(j *judge) value { return briefs(j.result.Notices, noticeValue) }},
		{"messages", func(j *judge) value { return briefs(j.result.Messages, sentValue) }},
		{"questions", func(j *judge) value { return briefs(j.result.Questions, questionValue) }},
		{"audit", func(j *judge) value { return briefs(j.result.Audits, auditValue) }},
		{"reports", func(j *judge) value { return briefs(j.result.Reports, reportValue) }},
		{"asked", (*judge).goldenAsked},
		{"paths", (*judge).goldenPaths},
		{"trace", (*judge).goldenTrace},
		{"memory", func(j *judge) value { return briefs(j.result.Memory[len(j.file.Memory):], entryValue) }},
		{"sessions", (*judge).goldenSessions},
		{"memory_file", func(j *judge) value { return textValue(j.result.MemoryFile) }},
		{"history_file", func(j *judge) value { return listValue(j.result.History, textValue) }},
		{"world", func(j *judge) value { return worldValue(j.result.World) }},
	}
}

// briefs makes a list of what each of items is, briefly.
func briefs[T any](items []T, each func(T) value) value {
	return listValue(items, func(item T) value { return brief(each(item)) })
}

// brief leaves out the members of a map that are empty or false.
func brief(v value) value {
	full := v.members
	v.members = nil
	for _, m := range full {
		is := m.value
		empty := is.kind == absentKind || is.kind == textKind && is.text == "" || is.kind == boolKind && is.text == "false" ||
			is.kind == listKind && len(is.list) == 0 || is.kind == mapKind && len(is.members) == 0
		if !empty {
			v.members = append(v.members, m)
		}
	}
	return v
}

// goldenAsked is what the model was sent. What a call shares with the one before it in
// its session, the system prompt and the first messages behind it, is only named:
// prompts are long, and a turn repeats them for each round.
func (j *judge) goldenAsked() value {
	calls := value{kind: listKind}
	for i, a := range j.result.Asked {
		all := askedValue(a)
		system, messages := prompt(a)
		like := mapValue("")
		if before := j.askedBefore(i); before >= 0 {
			hers, first := prompt(j.result.Asked[before])
			same := system.kind == textKind && system.equal(hers)
			shared := sharedValues(first, messages)
			if messages = messages[shared:]; same {
				system = value{}
			}
			if same || shared > 0 {
				like = brief(mapValue("", with("call", intValue(before+1)), with("system", boolValue(same)), with("messages", intValue(shared))))
			}
		}
		calls.list = append(calls.list, brief(mapValue("", with("call", intValue(i+1)),
			with("purpose", all.get("purpose")), with("session", all.get("session")), with("tools", all.get("tools")),
			with("options", all.get("options")), with("tokens", all.get("tokens")),
			with("like", like), with("system", system), with("messages", listValue(messages, brief)))))
	}
	return calls
}

// askedBefore returns the call before the n-th in its session, or -1.
func (j *judge) askedBefore(n int) int {
	session := j.result.Asked[n].Ask.Session
	for n--; n >= 0 && j.result.Asked[n].Ask.Session != session; n-- {
	}
	return n
}

// prompt returns the system prompt of a call, or the absent value, and the messages
// behind it.
func prompt(a sim.Asked) (system value, messages []value) {
	messages = askedValue(a).get("messages").list
	if len(messages) > 0 && messages[0].get("role").text == string(fsm.RoleSystem) {
		return messages[0].get("text"), messages[1:]
	}
	return value{}, messages
}

// sharedValues counts the values with which both begin.
func sharedValues(a, b []value) int {
	n := 0
	for n < min(len(a), len(b)) && a[n].equal(b[n]) {
		n++
	}
	return n
}

// goldenPaths are the ways of the lifecycle, of all handles and their inferences.
func (j *judge) goldenPaths() value {
	handles := listValue(j.seen(), func(h handleSeen) value {
		return brief(mapValue("", with("kind", textValue(string(h.kind))), with("id", textValue(h.request)),
			with("path", statesValue(j.result.Path(fsm.HandleTable.Name, h.id))), with("inferences", j.inferencesOf(h.id))))
	})
	return mapValue("", with("lifecycle", statesValue(j.result.Path(fsm.Lifecycle.Name, 0))), with("handles", handles))
}

// goldenTrace is each step on a line, without its number: a step more would else
// change every line behind it.
func (j *judge) goldenTrace() value {
	var b strings.Builder
	for _, s := range j.result.Steps {
		b.WriteString(stepText(s, fsm.Millis(j.file.start())) + "\n")
	}
	return textValue(b.String())
}

func (j *judge) goldenSessions() value {
	v := sessionsValue(j.result.Sessions)
	for i := range v.members {
		session := brief(v.members[i].value)
		for n, m := range session.members {
			for k, item := range m.value.list {
				session.members[n].value.list[k] = brief(item)
			}
		}
		v.members[i].value = session
	}
	return v
}
