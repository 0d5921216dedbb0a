package scenario

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/sim"
)

func (d *decoder) checkLines(f *File, path string, lines []Line) {
	for i := range lines {
		d.checkLine(f, element(path, i), &lines[i])
	}
}

func (d *decoder) checkLine(f *File, at string, l *Line) {
	says := l.Says != nil || l.Calls != nil || l.Repeats || l.Unknown != nil || l.BadArgs != nil
	n := d.oneOf(at, choice{"says or calls", says}, choice{"raw", l.Raw != nil}, choice{"needs", l.Needs != nil}, choice{"fails", l.Fails != nil},
		choice{"hangs", l.Hangs}, choice{"empty", l.Empty}, choice{"cut", l.Cut}, choice{"garbage", l.Garbage != ""}, choice{"truncated", l.Dropped != nil})
	if n == 0 && l.Quotes == "" && l.Thinks == "" && l.Stops == "" && l.Stream == nil {
		d.at(at, "says nothing; give one of says, calls, unknown_tool, malformed_arguments, raw, needs, quotes, stream, fails, hangs, empty, cut, garbage and truncated")
	}
	if n > 0 && !says && l.Needs == nil && l.Raw == nil && (l.Quotes != "" || l.Stops != "") {
		d.at(at, "quotes and stops are for an answer that has a text")
	}
	d.checkCalls(at+".calls", l.Calls)
	if c := l.BadArgs; c != nil && c.Args != nil && wellFormed(*c.Args) {
		d.at(at+".malformed_arguments.args", wantsMalformed)
	}
	d.oneOf(at, choice{"calls", l.Calls != nil}, choice{"unknown_tool", l.Unknown != nil}, choice{"malformed_arguments", l.BadArgs != nil})
	d.oneOf(at, choice{"truncated", l.Dropped != nil}, choice{"tokens", l.Tokens != nil})
	d.checkUnknown(f, at+".unknown_tool", l.Unknown)
	d.checkFails(at+".fails", l.Fails)
	d.checkSlow(at, l)
	if l.Stream != nil {
		d.checkStream(at, l)
	}
}

const wantsMalformed = "is a JSON object, or taken for an empty one; say calls with args"

// wellFormed reports whether a client takes a text for a JSON object: nothing and
// null are an empty one (BRN-5).
func wellFormed(args string) bool {
	args = strings.TrimSpace(args)
	v, err := valueOfJSON(args)
	return args == "" || args == "null" || err == nil && v.kind == mapKind
}

// checkUnknown wants a tool that nobody declared, as far as the first start tells.
func (d *decoder) checkUnknown(f *File, path string, call *UnknownCall) {
	if call == nil || slices.ContainsFunc(f.Timeline, func(m Moment) bool { return m.Configure != nil && m.Configure.tools != nil }) {
		return
	}
	declared := f.Tools.names()
	if profile, ok := fsm.Profile(cmp.Or(f.Profile, DefaultProfile)); ok {
		for _, t := range profile.Tools {
			declared = append(declared, t.Name)
		}
	}
	if slices.Contains(f.Config.names(declared), call.Tool) {
		d.at(path, "the tool "+shown(call.Tool)+" is declared; name one that is not, or say calls")
	}
}

// checkFails wants a class of failures, and of retryable that it says what the
// class means to the machine (INF-15).
func (d *decoder) checkFails(path string, fails *BrainFailing) {
	switch {
	case fails == nil:
	case fails.Code == "" && fails.Retryable == nil:
		d.at(path, "give code, or retryable alone")
	case fails.Code != "" && !slices.Contains(brainClasses(), string(fails.Code)):
		if _, ok := d.where[path+".code"]; ok {
			path += ".code" // not the class alone
		}
		d.at(path, unknown("class", string(fails.Code), brainClasses()))
	case fails.Retryable != nil && *fails.Retryable != fails.class().Retryable():
		again := "the model is not asked again"
		if fails.class().Retryable() {
			again = "the model is asked again"
		}
		d.at(path+".retryable", again+" after a failure of class "+string(fails.Code)+"; leave retryable out, or the code")
	}
}

func brainClasses() []string {
	return []string{
		string(fsm.BrainUnreachable), string(fsm.BrainLoading), string(fsm.BrainBusy), string(fsm.BrainMissingModel),
		string(fsm.BrainNoTools), string(fsm.BrainContextTruncated), string(fsm.BrainCutStream), string(fsm.BrainGarbage),
		string(fsm.BrainTimeout), string(fsm.BrainCancelled), string(fsm.BrainError),
	}
}

// comesAtOnce reports whether a failure of a class comes in place of any part of
// an answer.
func comesAtOnce(class fsm.BrainClass) bool {
	switch class {
	case fsm.BrainUnreachable, fsm.BrainLoading, fsm.BrainBusy, fsm.BrainMissingModel, fsm.BrainNoTools:
		return true
	default:
		return false
	}
}

// checkSlow wants a model that is loaded before it begins.
func (d *decoder) checkSlow(at string, l *Line) {
	if l.SlowLoad > 0 && l.Fails != nil && comesAtOnce(l.Fails.class()) {
		d.at(at+".slow_load", "a failure of class "+string(l.Fails.class())+" comes before the model is loaded; say takes")
	}
}

// checkStream wants of a stream that its pieces are those of the answer, and that
// a client sees them as they are.
func (d *decoder) checkStream(at string, l *Line) {
	s, path := l.Stream, at+".stream"
	if fsm.Millis(s.Every) > sim.IdleMax {
		d.at(path+".every", "a client waits at most "+sim.IdleMax.String()+" for the next piece; for a longer silence say hangs, or fails: {code: timeout}")
	}
	switch {
	case l.Empty:
		d.at(path, "an empty answer has no pieces")
		return
	case l.Fails != nil && comesAtOnce(l.Fails.class()):
		d.at(path, "a failure of class "+string(l.Fails.class())+" comes before the first piece")
		return
	}
	text, said := l.text()
	switch texts := s.Chunks.Texts; {
	case texts == nil && text == "" && l.Thinks == "" && l.Quotes == "":
		d.at(path+".chunks", "there is no text to cut; list the pieces")
	case texts != nil && l.Quotes != "":
		d.at(path+".chunks", "what is quoted is not known yet; say how many pieces")
	case texts != nil && said && strings.Join(texts, "") != text:
		d.at(path+".chunks", "the pieces make "+quoted(strings.Join(texts, ""))+", not "+quoted(text))
	}
	for i, p := range l.line().Pieces(fsm.AskBrain{}) {
		if p.Text == "" && p.Thinking == "" {
			d.at(element(path+".chunks", i), "is empty")
		}
		if strings.Contains(p.Text, thinkOpen) || endsInTag(p.Text) {
			d.at(path+".chunks", "the client keeps back what may begin "+thinkOpen+", as "+quoted(p.Text)+" does at its end; "+
				"cut elsewhere, and give thinking as thinks")
		}
	}
}

func quoted(text string) string { return strconv.Quote(clip(text, shownBytesMax)) }

// thinkOpen begins thinking in the text of some models, which the client takes out
// (BRN-6).
const thinkOpen = "<think>"

// endsInTag reports whether a piece ends with what may be the beginning of
// thinking.
func endsInTag(piece string) bool {
	for n := range len(thinkOpen) - 1 {
		if strings.HasSuffix(piece, thinkOpen[:n+1]) {
			return true
		}
	}
	return false
}
