package gate

import (
	"fmt"
	"testing"
	"time"
)

func TestCHN4WhoIsNotAllowedMayNotTalk(t *testing.T) {
	for _, tt := range []struct {
		allow  []string
		sender string
		want   bool
	}{
		{nil, "mia@example.org", false},
		{[]string{}, "", false},
		{[]string{"*"}, "", false},
		{[]string{"mia@example.org"}, "mia@example.org", true},
		{[]string{"mia@example.org"}, "Mia@example.org", false},
		{[]string{"mia@example.org"}, "mia@example.org.evil.test", false},
		{[]string{"*@example.org"}, "mia@example.org", true},
		{[]string{"*@example.org"}, "mia@sub.example.org", false},
		{[]string{"*"}, "anybody", true},
	} {
		if got := (Rules{Allow: tt.allow}).Allows(tt.sender); got != tt.want {
			t.Errorf("%v allows %q: %t", tt.allow, tt.sender, got)
		}
	}
}

func TestCHN4AStrangerIsNewOnce(t *testing.T) {
	g, now := Gate{}, time.UnixMilli(0)
	for n, want := range []bool{true, false, false} {
		if v, first := g.Take(now, "eve"); v != Stranger || first != want {
			t.Errorf("message %d: %v, %t", n, v, first)
		}
	}
	for n := range 2 * SendersMax {
		g.Take(now, fmt.Sprint(n))
	}
	if len(g.strange) != SendersMax {
		t.Errorf("%d strangers are known", len(g.strange))
	}
}

func TestCHN5ASenderMaySendSoManyAMinute(t *testing.T) {
	g, now := Gate{Rules: Rules{Allow: []string{"*"}, PerMinute: 2}}, time.UnixMilli(0)
	for _, tt := range []struct {
		after time.Duration
		from  string
		want  Verdict
		first bool
	}{
		{0, "mia", Passes, false},
		{10 * time.Second, "mia", Passes, false},
		{0, "mia", TooMany, true},
		{0, "mia", TooMany, false},
		{0, "tom", Passes, false},
		{49 * time.Second, "mia", TooMany, false},
		{time.Second, "mia", Passes, false}, // a minute after the first
		{0, "mia", TooMany, true},
	} {
		now = now.Add(tt.after)
		if v, first := g.Take(now, tt.from); v != tt.want || first != tt.first {
			t.Errorf("%s at %s: %v, %t", tt.from, now.UTC().Format("4:05"), v, first)
		}
	}
}

func TestCHN5WhoIsSilentIsForgotten(t *testing.T) {
	g, now := Gate{Rules: Rules{Allow: []string{"*"}, PerMinute: 1}}, time.UnixMilli(0)
	for n := range 3 * SendersMax {
		now = now.Add(time.Second)
		g.Take(now, fmt.Sprint(n))
	}
	if len(g.known) > SendersMax {
		t.Errorf("%d senders are known", len(g.known))
	}
}

// However many there are, nobody is forgotten who has written within the minute: the count would begin anew.
func TestCHN5WhoHasJustWrittenIsNotForgotten(t *testing.T) {
	g, now := Gate{Rules: Rules{Allow: []string{"*"}, PerMinute: 1}}, time.UnixMilli(0)
	for n := range SendersMax {
		g.Take(now, fmt.Sprint(n))
	}
	now = now.Add(59 * time.Second)
	g.Take(now, "one more")
	if v, _ := g.Take(now, "0"); v != TooMany {
		t.Errorf("within a minute: %v", v)
	}
}
