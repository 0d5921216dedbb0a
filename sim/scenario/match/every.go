package match

import "regexp/syntax"

// fitsAll reports whether a regular expression fits somewhere in every text, as .* does, which
// fits nothing before the first character. Some that do are not found.
func fitsAll(text string) bool {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return false
	}
	re := parsed.Simplify()
	return empty(re, syntax.OpBeginText, syntax.OpBeginLine) || empty(re, syntax.OpEndText, syntax.OpEndLine)
}

// empty reports whether an expression can fit no characters at a place that the given operators
// are for, whatever stands around it.
func empty(re *syntax.Regexp, here ...syntax.Op) bool {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return empty(re.Sub[0], here...)
	case syntax.OpRepeat:
		return re.Min == 0 || empty(re.Sub[0], here...)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !empty(sub, here...) {
				return false
			}
		}
		return true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if empty(sub, here...) {
				return true
			}
		}
		return false
	default:
		return re.Op == here[0] || re.Op == here[1]
	}
}
