package grant

import (
	"strconv"
	"strings"
	"testing"

	"shelly/fsm"
)

func TestAPR9ACallWrittenAsTextNeedsApproval(t *testing.T) {
	for _, tt := range []struct {
		effects fsm.ToolEffects
		approve bool
		text    bool
		reading fsm.ReadingMode
		want    bool
	}{
		{fsm.EffectsUnsafe, false, true, fsm.ReadingCareful, true},
		{fsm.EffectsIdempotent, false, true, fsm.ReadingCareful, true},
		{"", false, true, fsm.ReadingCareful, true},
		{fsm.EffectsNone, false, true, fsm.ReadingCareful, false},
		{fsm.EffectsNone, true, true, fsm.ReadingCareful, true},
		{fsm.EffectsUnsafe, false, false, fsm.ReadingCareful, false},
		{fsm.EffectsUnsafe, true, false, fsm.ReadingPlain, true},
		{fsm.EffectsUnsafe, false, true, fsm.ReadingPlain, false},
	} {
		c := fsm.Config{Switches: fsm.Switches{Reading: tt.reading}}
		if got := Needs(&c, &fsm.ToolDecl{Effects: tt.effects, Approve: tt.approve}, fsm.ToolCall{Text: tt.text}); got != tt.want {
			t.Errorf("%+v: got %t; want %t", tt, got, tt.want)
		}
	}
}

func match(pairs ...string) []fsm.ArgMatch {
	var list []fsm.ArgMatch
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, fsm.ArgMatch{Argument: pairs[i], Like: pairs[i+1]})
	}
	return list
}

func TestAPR10TheStrictestRuleThatFitsCounts(t *testing.T) {
	push := fsm.ApproveRule{Match: match("command", "git push*"), Ask: true}
	git := fsm.ApproveRule{Match: match("command", "git *")}
	for _, tt := range []struct {
		name    string
		approve bool
		rules   []fsm.ApproveRule
		args    string
		want    bool
	}{
		{"no rule, asks", true, nil, `{"command":"ls"}`, true},
		{"no rule", false, nil, `{"command":"ls"}`, false},
		{"one that asks", false, []fsm.ApproveRule{push}, `{"command":"git push origin"}`, true},
		{"one that asks and does not fit", false, []fsm.ApproveRule{push}, `{"command":"git pull"}`, false},
		{"one that spares", true, []fsm.ApproveRule{git}, `{"command":"git log"}`, false},
		{"both, in one order", true, []fsm.ApproveRule{git, push}, `{"command":"git push origin"}`, true},
		{"both, in the other", true, []fsm.ApproveRule{push, git}, `{"command":"git push origin"}`, true},
		{"no object is asked about", false, []fsm.ApproveRule{push}, `[`, true},
		{"no object is not spared", true, []fsm.ApproveRule{git}, `[`, true},
		{"nor by one that matches no argument", true, []fsm.ApproveRule{{}}, `[`, true},
	} {
		decl := fsm.ToolDecl{Name: "exec", Approve: tt.approve, Rules: tt.rules}
		if got := Needs(&fsm.Config{}, &decl, fsm.ToolCall{Name: "exec", Args: tt.args}); got != tt.want {
			t.Errorf("%s: got %t; want %t", tt.name, got, tt.want)
		}
	}
}

func TestAPR11AskingFitsTooMuchAndSparingTooLittle(t *testing.T) {
	for _, tt := range []struct {
		like, args   string
		asks, spares bool
	}{
		{"git push*", `{"command":"git push"}`, true, true},
		{"git push*", `{"command":" git   push  -f"}`, true, false},
		{"git push*", `{"COMMAND":"git push"}`, true, true},
		{"git push*", `{"command":["git","push","-f"]}`, true, true},
		{"git push*", `{"command":["git","push","a b"]}`, false, false},
		{"git push*", `{"command":"git push; rm -rf ~"}`, true, false},
		{"git push*", `{"command":"git push\nrm x"}`, true, false},
		{"git push*", `{"command":"git push $(rm x)"}`, true, false},
		{"git push*", `{"command":"git pull","command":"git push"}`, true, false},
		{"git push*", `{"cmd":"git push"}`, false, false},
		{"git push*", `"{\"command\":\"git push\"}"`, true, true},
		{"git push*", `{"command":null}`, false, false},
		{"git push*", `{"command":"git push"`, true, false},
		{"git push*", `{"command":"git push"} {}`, true, false},
		{"git push*", `["command","ls"]`, true, false},
		{"git push*", `{"command":[git push]}`, true, false},
		{"a;b*", `{"command":"a;bc"}`, true, true}, // what the pattern itself contains is intended
		{"notes/*", `{"command":"notes/../.env"}`, true, false},
		{"notes/*", `{"command":"notes/a.md"}`, true, true},
		{"../*", `{"command":"../a"}`, true, true},
		{`a\*b`, `{"command":"a*b"}`, true, true},
		{`a\*b`, `{"command":"axb"}`, false, false},
		{`a\\b`, `{"command":"a\\b"}`, true, true},
		{`a\`, `{"command":"a\\"}`, true, true},
		{`a\`, `{"command":"a"}`, false, false},
		{"*", `{"command":7}`, true, true},
		{`{"a":[1,2]}`, `{"command":{ "a": [1, 2] }}`, true, true},
		{"{*", `{"command":{"a":[1, 2]}}`, true, false},
		{`*b*c`, `{"command":"abxbc"}`, true, true},
		{`*b*c`, `{"command":"abxb"}`, false, false},
	} {
		call := fsm.ToolCall{Name: "exec", Args: tt.args}
		decl := fsm.ToolDecl{Name: "exec", Rules: []fsm.ApproveRule{{Match: match("command", tt.like), Ask: true}}}
		if got := Needs(&fsm.Config{}, &decl, call); got != tt.asks {
			t.Errorf("%q asks about %s: %t", tt.like, tt.args, got)
		}
		decl = fsm.ToolDecl{Name: "exec", Approve: true, Rules: []fsm.ApproveRule{{Match: match("command", tt.like)}}}
		if got := !Needs(&fsm.Config{}, &decl, call); got != tt.spares {
			t.Errorf("%q spares %s: %t", tt.like, tt.args, got)
		}
	}
}

func TestAPR13AGrantIsForTheSubjectOfTheCall(t *testing.T) {
	exec := fsm.ToolDecl{Name: "exec"}
	write := fsm.ToolDecl{Name: "write_file", Subject: []string{"path"}}
	for _, tt := range []struct {
		name        string
		decl        fsm.ToolDecl
		given, call string
		want        bool
	}{
		{"the same", exec, `{"command":"make *"}`, `{ "command": "make *" }`, true},
		{"a star of the call is a star", exec, `{"command":"make *"}`, `{"command":"make all"}`, false},
		{"another command", exec, `{"command":"ls"}`, `{"command":"ls -l"}`, false},
		{"something added", exec, `{"command":"ls"}`, `{"command":"ls","dir":"/"}`, false},
		{"something left out", exec, `{"command":"ls","dir":"/"}`, `{"command":"ls"}`, false},
		{"in another order", exec, `{"command":"ls","dir":"/"}`, `{"dir":"/","command":"ls"}`, true},
		{"no arguments", exec, `{}`, ``, true},
		{"none, then no object", exec, `{}`, `[`, false},
		{"none, then some", exec, `{}`, `{"command":"ls"}`, false},
		{"the same file", write, `{"path":"a.md","content":"x"}`, `{"path":"a.md","content":"; rm"}`, true},
		{"another file", write, `{"path":"a.md","content":"x"}`, `{"path":"b.md","content":"x"}`, false},
		{"no file", write, `{"path":"a.md","content":"x"}`, `{"content":"x"}`, false},
		{"an argv with blanks", exec, `{"args":["a","b c"]}`, `{"args":["a","b","c"]}`, false},
		{"the same argv", exec, `{"args":["a","b c"]}`, `{"args":["a","b c"]}`, true},
		{"a special character", exec, `{"command":"a && b > c"}`, `{"command":"a && b > c"}`, true},
	} {
		g, ok := Of(fsm.Decided{Approve: true, Grant: fsm.GrantSession}, "s", &tt.decl, fsm.ToolCall{Args: tt.given}, 5)
		if !ok || !Literal(&g) {
			t.Fatalf("%s: no grant, or one for more: %+v", tt.name, g)
		}
		if got := Covers([]fsm.Grant{g}, "s", &tt.decl, fsm.ToolCall{Args: tt.call}); got != tt.want {
			t.Errorf("%s: got %t; want %t", tt.name, got, tt.want)
		}
		if Covers([]fsm.Grant{g}, "t", &tt.decl, fsm.ToolCall{Args: tt.given}) {
			t.Errorf("%s: another session is covered", tt.name)
		}
		if other := (fsm.ToolDecl{Name: "other", Subject: tt.decl.Subject}); Covers([]fsm.Grant{g}, "s", &other, fsm.ToolCall{Args: tt.given}) {
			t.Errorf("%s: another tool is covered", tt.name)
		}
	}
}

func TestAPR13ACallAsTextIsCoveredOnlyByWhatAQuestionHasLedTo(t *testing.T) {
	decl := fsm.ToolDecl{Name: "exec"}
	call := fsm.ToolCall{Args: `{"command":"make all"}`, Text: true}
	asked, _ := Of(fsm.Decided{Approve: true, Grant: fsm.GrantAlways}, "s", &decl, call, 5)
	for _, tt := range []struct {
		g    fsm.Grant
		want bool
	}{
		{asked, true},
		{fsm.Grant{Tool: "exec", Any: true}, false},
		{fsm.Grant{Tool: "exec", Match: match("command", "make *")}, false},
	} {
		if got := Covers([]fsm.Grant{tt.g}, "s", &decl, call); got != tt.want {
			t.Errorf("%+v: got %t; want %t", tt.g, got, tt.want)
		}
		call := call
		call.Text = false
		if !Covers([]fsm.Grant{tt.g}, "s", &decl, call) {
			t.Errorf("%+v does not cover the call that is not written as text", tt.g)
		}
	}
}

func TestAPR12OnlyAnApprovalGivesAGrant(t *testing.T) {
	decl, call := fsm.ToolDecl{Name: "exec"}, fsm.ToolCall{Args: `{}`}
	for _, tt := range []struct {
		d       fsm.Decided
		session string
		want    bool
	}{
		{fsm.Decided{Approve: true}, "s", false},
		{fsm.Decided{Grant: fsm.GrantAlways}, "s", false},
		{fsm.Decided{Grant: fsm.GrantSession}, "s", false},
		{fsm.Decided{Approve: true, Grant: "forever"}, "s", false},
		{fsm.Decided{Approve: true, Grant: fsm.GrantSession}, "", false},
		{fsm.Decided{Approve: true, Grant: fsm.GrantSession}, "s", true},
		{fsm.Decided{Approve: true, Grant: fsm.GrantAlways}, "", true},
	} {
		if _, got := Of(tt.d, tt.session, &decl, call, 0); got != tt.want {
			t.Errorf("%+v: got %t; want %t", tt.d, got, tt.want)
		}
	}
	if _, ok := Of(fsm.Decided{Approve: true, Grant: fsm.GrantAlways}, "s", &decl, fsm.ToolCall{Args: "["}, 0); ok {
		t.Error("a call that cannot be read has led to a grant")
	}
}

func TestAPR18TheOldestGrantOfASessionGoes(t *testing.T) {
	list := []fsm.Grant{{Tool: "always", Any: true}}
	for i := range fsm.SessionGrantsMax + 2 {
		list = Add(list, fsm.Grant{Session: "s", Tool: "t" + strconv.Itoa(i), Any: true})
	}
	list = Add(list, list[5])
	if len(list) != fsm.SessionGrantsMax+1 || list[0].Tool != "always" || list[1].Tool != "t2" || list[len(list)-1].Tool != "t6" {
		t.Errorf("%d grants, the first %s, %s, the last %s", len(list), list[0].Tool, list[1].Tool, list[len(list)-1].Tool)
	}
}

func TestAPR12GrantsAreNamedByWhatTheyCover(t *testing.T) {
	g := fsm.Grant{Session: "s", Tool: "exec", Match: match("command", "ls")}
	same := g
	same.By, same.At = "ada", 7
	if ID(&g) != ID(&same) || !strings.HasPrefix(ID(&g), "g") || len(ID(&g)) > 14 {
		t.Errorf("%s and %s", ID(&g), ID(&same))
	}
	for _, other := range []fsm.Grant{
		{Tool: "exec", Match: g.Match}, {Session: "s", Tool: "exec", Any: true}, {Session: "s", Tool: "exec"},
		{Session: "s", Tool: "exec", Match: match("command", "ls", "dir", "/")}, {Session: "s", Tool: "exec", Match: match("commandl", "s")},
	} {
		if ID(&other) == ID(&g) {
			t.Errorf("%+v has the same id", other)
		}
	}
}

// APR-12: a grant is known by what it covers, whatever order the call had.
func TestAPR12GrantsThatCoverAnotherThingHaveAnotherID(t *testing.T) {
	seen := map[string]fsm.Grant{}
	for _, g := range []fsm.Grant{
		{Tool: "exec"}, {Tool: "exec", Any: true}, {Tool: "exec", Session: "s"}, {Tool: "write"},
		{Tool: "exec", Match: match("command", "ls")}, {Tool: "exec", Match: match("command", "rm")}, {Tool: "exec", Match: match("dir", "ls")},
		{Tool: "exec", Match: match("command", "ls", "dir", "/")},
	} {
		if other, ok := seen[ID(&g)]; ok {
			t.Errorf("%+v and %+v have one id", g, other)
		}
		seen[ID(&g)] = g
	}
	id := func(args string) string {
		g, ok := Of(fsm.Decided{Approve: true, Grant: fsm.GrantAlways}, "s", &fsm.ToolDecl{Name: "exec"}, fsm.ToolCall{Args: args}, 5)
		if !ok {
			t.Fatalf("no grant for %s", args)
		}
		return ID(&g)
	}
	for _, pair := range [][2]string{
		{`{"command":"ls","dir":"/"}`, `{"dir":"/","command":"ls"}`},
		{`{"a":"x","b":"y"}`, `{"b":"y","a":"x"}`},
		{`{"a":"y","b":"x"}`, `{"b":"x","a":"y"}`},
		{`{"a":"x","a":"y"}`, `{"a":"y","a":"x"}`},
		{`{"a":"x","b":"x"}`, `{"b":"x","a":"x"}`},
	} {
		if id(pair[0]) != id(pair[1]) {
			t.Errorf("%s and %s have two ids", pair[0], pair[1])
		}
	}
}
