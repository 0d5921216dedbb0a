package history

import (
	"cmp"
	"fmt"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// input is what the machine was told, in words. What was about another handle is
// marked as such.
func (t *teller) input(s Step) string {
	t.now, t.epoch = s.Input.At, s.Epoch
	words := inputWords.Do(t, s.Input.Fact)
	if !s.About && !words.daemon {
		return "elsewhere: " + words.text
	}
	return words.text
}

// inputWord is a fact in words.
type inputWord struct {
	text   string
	daemon bool // it is about the daemon, not about a handle
}

// ofDaemon is the row of a fact about the daemon, ofHandle that of one about a handle.
func ofDaemon[F fsm.Fact](tell func(*teller, F) string) fsm.FactRow[*teller, inputWord] {
	return fsm.OnFact(func(t *teller, f F) inputWord { return inputWord{tell(t, f), true} })
}

func ofHandle[F fsm.Fact](tell func(*teller, F) string) fsm.FactRow[*teller, inputWord] {
	return fsm.OnFact(func(t *teller, f F) inputWord { return inputWord{tell(t, f), false} })
}

// ofCall is the row of an answer; took is how long its call took.
func ofCall[F fsm.Answer](tell func(t *teller, f F, took string) string) fsm.FactRow[*teller, inputWord] {
	return ofHandle(func(t *teller, f F) string { return tell(t, f, t.took(f.CallOf(), t.now)) })
}

// scopeWords is how far an approval goes.
func scopeWords(scope fsm.GrantScope) string {
	switch scope {
	case fsm.GrantSession:
		return ", and those like it in this session"
	case fsm.GrantAlways:
		return ", and those like it in every session"
	default:
		return ""
	}
}

// inputWords puts each kind of fact in words.
var inputWords = fsm.NewFactTable(
	ofDaemon(func(t *teller, _ fsm.Boot) string {
		if t.epoch > 1 {
			return fmt.Sprintf("the daemon started again (epoch %d)", t.epoch)
		}
		return fmt.Sprintf("the daemon started (epoch %d)", t.epoch)
	}),
	ofDaemon(func(_ *teller, f fsm.Configured) string {
		return fmt.Sprintf("the configuration was read again (profile %s)", f.Config.Profile)
	}),
	ofDaemon(func(_ *teller, f fsm.Signalled) string { return "the daemon got the signal " + f.Name }),
	ofHandle((*teller).requested),
	ofHandle(func(_ *teller, f fsm.EventRaised) string {
		return fmt.Sprintf("an event came from %s: %s", f.Source, strings.TrimSpace(f.Event+" "+f.Subject))
	}),
	ofHandle(func(_ *teller, f fsm.ScheduleDue) string { return fmt.Sprintf("schedule %s is due", f.Schedule) }),
	ofHandle(func(*teller, fsm.CancelRequested) string { return "its client asked to cancel it" }),
	ofHandle(func(_ *teller, f fsm.Decided) string {
		word := "denied"
		if f.Approve {
			word = "approved"
		}
		return fmt.Sprintf("%s %s the call %s%s", cmp.Or(f.By, "a person"), word, f.Key, scopeWords(f.Grant))
	}),
	ofDaemon(func(_ *teller, f fsm.Revoked) string {
		return fmt.Sprintf("%s took the grant %s back", cmp.Or(f.By, "a person"), f.Grant)
	}),
	ofHandle(func(t *teller, f fsm.Resolved) string {
		if f.Text == "" {
			return "a person let it go on"
		}
		return "a person said:" + t.text(f.Text)
	}),
	ofHandle(func(t *teller, f fsm.TimerFired) string {
		if purpose := t.timers[f.Timer]; purpose != "" {
			return fmt.Sprintf("timer %s fired", purpose)
		}
		return "a timer fired"
	}),
	ofHandle(func(_ *teller, f fsm.BrainProgress) string {
		return stages(f.Stage)
	}),
	ofCall(func(t *teller, f fsm.BrainAnswered, took string) string {
		return "the model answered" + took + t.spoken(f)
	}),
	ofCall(func(t *teller, f fsm.BrainFailed, took string) string {
		return fmt.Sprintf("the model failed%s (%s):%s", took, f.Class, t.text(f.Reason))
	}),
	ofCall((*teller).returned),
	ofCall(func(t *teller, f fsm.ToolStopped, took string) string {
		return t.name(f.Call, "the tool") + " has stopped" + took
	}),
	ofCall(func(t *teller, f fsm.SessionLoaded, took string) string {
		known := "the session is new"
		if f.Session.Version > 0 {
			known = fmt.Sprintf("the session was loaded%s: version %d, %s", took, f.Session.Version, wording.Count(len(f.Session.History), "message"))
		}
		return t.failed(f.Error, "the session could not be loaded", known)
	}),
	ofCall(func(t *teller, f fsm.SessionSaved, took string) string {
		if f.Conflict {
			return "the session was not saved: somebody else had changed it"
		}
		return t.failed(f.Error, "the session could not be saved", "the session was saved"+took)
	}),
	ofCall(func(t *teller, f fsm.SkillLoaded, took string) string {
		what := t.name(f.Call, "the skill")
		return t.failed(f.Error, what+" could not be loaded", fmt.Sprintf("%s was loaded%s, %s", what, took, size(len(f.Text))))
	}),
	ofCall(func(t *teller, f fsm.Probed, took string) string {
		words := fmt.Sprintf("the probe of %s says %s%s", t.name(f.Call, "the tool"), f.Answer, took)
		if f.Text != "" {
			words += ":" + t.text(f.Text)
		}
		return words
	}),
	ofCall(func(t *teller, f fsm.TextRead, took string) string {
		if f.Gone {
			return "the result is no longer kept"
		}
		return t.failed(f.Error, "the result could not be read", fmt.Sprintf("%s of the result read%s, from byte %d:%s", size(len(f.Text)), took, f.From, t.text(f.Text)))
	}),
	ofCall(func(t *teller, f fsm.Recalled, took string) string {
		found := "memory found nothing" + took
		if n := len(f.Entries); n > 0 {
			found = fmt.Sprintf("memory found %d%s:%s", n, took, t.text(f.Entries[0].Summary))
		}
		return t.failed(f.Error, "memory could not be searched", found)
	}),
	ofCall(func(t *teller, f fsm.Embedded, took string) string {
		return t.failed(f.Error, "there is no vector", "a vector came from "+cmp.Or(f.Model, "the embedder")+took)
	}),
	ofCall(func(t *teller, f fsm.Stored, took string) string {
		return t.failed(f.Error, "the memory could not be stored", "the memory was stored"+took)
	}),
)

func (t *teller) requested(in fsm.Requested) string {
	var with []string
	if n := len(in.Images); n > 0 {
		with = append(with, wording.Count(n, "image"))
	}
	if n := len(in.Context); n > 0 {
		with = append(with, "a history of "+wording.Count(n, "message"))
	}
	words := "it was accepted"
	if len(with) > 0 {
		words += " with " + strings.Join(with, " and ")
	}
	return words + ":" + t.text(in.Text)
}

// failed is what came of a call, or that it failed and why.
func (t *teller) failed(why, failed, well string) string {
	if why == "" {
		return well
	}
	return failed + ":" + t.text(why)
}

// spoken is what a model said.
func (t *teller) spoken(in fsm.BrainAnswered) string {
	words := ""
	if in.Tokens != (fsm.Tokens{}) {
		words += ", " + tokens(in.Tokens)
	}
	if in.Model != (fsm.Model{}) {
		words += ", " + in.Model.String()
	}
	if in.Stop == fsm.StopMaxTokens {
		words += ", cut at its limit"
	}
	var parts []string
	if in.Thinking != "" && t.textMax == 0 {
		parts = append(parts, " it thought"+t.text(in.Thinking))
	}
	if in.Text != "" || len(in.Calls) == 0 {
		parts = append(parts, t.text(in.Text))
	}
	for i, c := range in.Calls {
		lead := " " + c.Name
		if i == 0 {
			lead = " calls" + lead
		}
		parts = append(parts, lead+t.args(c.Args))
	}
	return words + ":" + list(parts...)
}

// returned is what a tool returned.
func (t *teller) returned(in fsm.ToolAnswered, took string) string {
	name := t.name(in.Call, "the tool")
	if !in.Failed {
		return fmt.Sprintf("%s returned %s%s%s:%s", name, size(cmp.Or(in.Kept.Bytes, len(in.Text))), took, shownOf(in), t.text(in.Text))
	}
	words := name + " failed" + took
	switch {
	case in.Nothing:
		words += " and did nothing"
	case in.Invalid:
		words += ", the call is wrong"
	}
	return words + ":" + t.text(in.Text)
}

// shownOf says how much of a result that is kept enters the conversation, where that is
// not all of it.
func shownOf(in fsm.ToolAnswered) string {
	shown := len(in.Text) + len(in.Kept.Tail)
	if shown >= in.Kept.Bytes {
		return ""
	}
	return fmt.Sprintf(", of which %s enter, and is kept", size(shown))
}

// stages is what a model call has come to.
func stages(s fsm.Stage) string {
	switch s {
	case fsm.StageLoading:
		return "the server loads the model"
	case fsm.StageAccepted:
		return "the server has the model call, and reads its prompt when its turn comes"
	case fsm.StageWriting:
		return "the model writes"
	default:
		return "the model call came to " + string(s)
	}
}
