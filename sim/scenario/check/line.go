package check

import (
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/heard"
	"shelly/fsm/wording"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
	"shelly/sim/script"
	"shelly/sim/strict"
)

func (k *checker) checkLines(f *format.File, path string, lines []format.Line) {
	for i := range lines {
		k.checkLine(f, strict.Element(path, i), &lines[i])
	}
}

func (k *checker) checkLine(f *format.File, at string, l *format.Line) {
	says := l.Says != nil || l.Calls != nil || l.Repeats || l.Unknown != nil || l.BadArgs != nil
	n := k.oneOf(at, given("says or calls", says), given("raw", l.Raw != nil), given("needs", l.Needs != nil), given("fails", l.Fails != nil),
		given("hangs", l.Hangs), given("empty", l.Empty), given("cut", l.Cut), given("garbage", l.Garbage != ""), given("truncated", l.Dropped != nil))
	if n == 0 && l.Quotes == "" && l.Thinks == "" && l.Stops == "" && l.Stream == nil {
		k.at(at, "says nothing; give one of says, calls, unknown_tool, malformed_arguments, raw, needs, quotes, stream, fails, hangs, empty, cut, garbage and truncated")
	}
	if n > 0 && !says && l.Needs == nil && l.Raw == nil && (l.Quotes != "" || l.Stops != "") {
		k.at(at, "quotes and stops are for an answer that has a text")
	}
	k.checkCalls(at+".calls", l.Calls)
	for i, c := range l.Calls {
		if c.None && !f.DeclaresLater() && slices.Contains(f.Declared(), c.Tool) {
			k.at(strict.Element(at+".calls", i)+".undeclared", "the tool "+wording.Word(c.Tool)+" is declared; leave undeclared out")
		}
	}
	if c := l.BadArgs; c != nil && c.Args != nil && wellFormed(*c.Args) {
		k.at(at+".malformed_arguments.args", wantsMalformed)
	}
	k.oneOf(at, given("calls", l.Calls != nil), given("unknown_tool", l.Unknown != nil), given("malformed_arguments", l.BadArgs != nil))
	k.oneOf(at, given("truncated", l.Dropped != nil), given("tokens", l.Tokens != nil))
	k.checkUnknown(f, at+".unknown_tool", l.Unknown)
	k.checkFails(at+".fails", l.Fails)
	if l.Sees != nil {
		k.problems = append(k.problems, format.Foreign(at+".sees", l.Sees)...)
	}
	k.checkSlow(at, l)
	if l.Stream != nil {
		k.checkStream(at, l)
	}
}

const wantsMalformed = "is a JSON object, or taken for an empty one; say calls with args"

// wellFormed reports whether a client takes a text for a JSON object: nothing and
// null are an empty one (BRN-5).
func wellFormed(args string) bool {
	args = strings.TrimSpace(args)
	v, err := data.OfJSON(args)
	return args == "" || args == "null" || err == nil && v.Kind == data.MapKind
}

// checkUnknown wants a tool that nobody declared, as far as the first start tells.
func (k *checker) checkUnknown(f *format.File, path string, call *format.UnknownCall) {
	if call == nil || f.DeclaresLater() {
		return
	}
	if slices.Contains(f.Declared(), call.Tool) {
		k.at(path, "the tool "+wording.Word(call.Tool)+" is declared; name one that is not, or say calls")
	}
}

// checkFails wants a class of failures, and of retryable that it says what the
// class means to the machine (INF-15).
func (k *checker) checkFails(path string, fails *format.BrainFailing) {
	switch {
	case fails == nil:
	case fails.Code == "" && fails.Retryable == nil:
		k.at(path, "give code, or retryable alone")
	case fails.Code != "" && !slices.Contains(format.BrainClasses(), string(fails.Code)):
		if k.has(path + ".code") {
			path += ".code" // not the class alone
		}
		k.at(path, wording.Unknown("class", string(fails.Code), format.BrainClasses()))
	case fails.Retryable != nil && *fails.Retryable != fails.Class().Retryable():
		again := "the model is not asked again"
		if fails.Class().Retryable() {
			again = "the model is asked again"
		}
		k.at(path+".retryable", again+" after a failure of class "+string(fails.Code)+"; leave retryable out, or the code")
	}
}

// comesAtOnce reports whether a failure of a class comes in place of any part of
// an answer.
func comesAtOnce(class fsm.BrainClass) bool {
	switch class {
	case fsm.BrainUnreachable, fsm.BrainLoading, fsm.BrainBusy, fsm.BrainMissingModel, fsm.BrainNoTools, fsm.BrainNoChat:
		return true
	default:
		return false
	}
}

// checkSlow wants a model that is loaded before it begins.
func (k *checker) checkSlow(at string, l *format.Line) {
	if l.SlowLoad > 0 && l.Fails != nil && comesAtOnce(l.Fails.Class()) {
		k.at(at+".slow_load", "a failure of class "+string(l.Fails.Class())+" comes before the model is loaded; say takes")
	}
}

// checkStream wants of a stream that its pieces are those of the answer, and that
// a client sees them as they are.
func (k *checker) checkStream(at string, l *format.Line) {
	s, path := l.Stream, at+".stream"
	if fsm.Millis(s.Every) > script.IdleMax {
		k.at(path+".every", "a client waits at most "+script.IdleMax.String()+" for the next piece; for a longer silence say hangs, or fails: {code: timeout}")
	}
	switch {
	case l.Empty:
		k.at(path, "an empty answer has no pieces")
		return
	case l.Fails != nil && comesAtOnce(l.Fails.Class()):
		k.at(path, "a failure of class "+string(l.Fails.Class())+" comes before the first piece")
		return
	}
	text, said := l.Text()
	switch texts := s.Chunks.Texts; {
	case texts == nil && text == "" && l.Thinks == "" && l.Quotes == "":
		k.at(path+".chunks", "there is no text to cut; list the pieces")
	case texts != nil && l.Quotes != "":
		k.at(path+".chunks", "what is quoted is not known yet; say how many pieces")
	case texts != nil && said && strings.Join(texts, "") != text:
		k.at(path+".chunks", "the pieces make "+wording.Quote(strings.Join(texts, ""))+", not "+wording.Quote(text))
	}
	for i, p := range compile.Line(l).Pieces(fsm.AskBrain{}) {
		if p.Text == "" && p.Thinking == "" {
			k.at(strict.Element(path+".chunks", i), "is empty")
		}
		var client heard.Splitter
		if text, _ := client.Put(p.Text); text != p.Text {
			k.at(path+".chunks", "the client keeps back what may begin <think>, as "+wording.Quote(p.Text)+" does at its end; "+
				"cut elsewhere, and give thinking as thinks")
		}
	}
}
