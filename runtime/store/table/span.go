package table

import "bytes"

// Meets reports whether a span has keys in [from, to).
func (s Span) Meets(from, to []byte) bool {
	return (to == nil || bytes.Compare(s.From, to) < 0) && (s.To == nil || bytes.Compare(from, s.To) < 0)
}

// Gaps returns the parts of [from, to) that lie in none of the spans. The spans must be in order.
func Gaps(spans []Span, from, to []byte) (gaps []Span) {
	for _, s := range spans {
		if !s.Meets(from, to) {
			continue
		}
		if bytes.Compare(from, s.From) < 0 {
			gaps = append(gaps, Span{from, s.From})
		}
		if s.To == nil {
			return gaps
		}
		if bytes.Compare(from, s.To) < 0 {
			from = s.To
		}
	}
	if to == nil || bytes.Compare(from, to) < 0 {
		gaps = append(gaps, Span{from, to})
	}
	return gaps
}
