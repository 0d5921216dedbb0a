package textcall

import "strings"

// harmony reads an answer in channels, as gpt-oss writes them: a message for a tool is a
// call, the channels final and commentary are text, and the rest is thinking. It reports
// whether the text is such an answer.
func (f Forms) harmony(s string) (Reading, bool) {
	const start, channel, message = "<|start|>", "<|channel|>", "<|message|>"
	if !strings.HasPrefix(s, start) && !strings.HasPrefix(s, channel) {
		return Reading{}, false
	}
	r := Reading{}
	var said []string
	for part := range strings.SplitSeq(s, start) {
		for {
			head, body, ok := strings.Cut(part, message)
			if !ok {
				r.Tagged = r.Tagged || strings.Contains(head, "to=")
				break
			}
			body, part = untilMark(body)
			name, calls := addressee(head)
			switch {
			case calls && isObject(f.tidy(strings.TrimSpace(body))):
				r.Calls = append(r.Calls, Call{Name: name, Args: f.tidy(strings.TrimSpace(body))})
			case calls:
				return Reading{Tagged: true}, true
			case !strings.Contains(head, channel+"analysis"):
				said = append(said, strings.TrimSpace(body))
			}
		}
	}
	r.Text = strings.Join(said, "\n")
	if len(r.Calls) > 0 {
		r.Tagged, r.Text = true, ""
	}
	return r, true
}

// untilMark cuts a message at the mark that ends it, or at the channel of the next. It looks at what
// comes before the mark only, so that an answer of many messages is read once.
func untilMark(s string) (body, rest string) {
	for at := 0; ; at += len("<|") {
		next := strings.Index(s[at:], "<|")
		if next < 0 {
			return s, ""
		}
		at += next
		for _, mark := range []string{"<|end|>", "<|call|>", "<|return|>"} {
			if after, is := strings.CutPrefix(s[at:], mark); is {
				return s[:at], after
			}
		}
		if strings.HasPrefix(s[at:], "<|channel|>") {
			return s[:at], s[at:]
		}
	}
}

// addressee returns the tool that a message is for, or false.
func addressee(head string) (name string, ok bool) {
	_, to, _ := strings.Cut(head, "to=") // without one nothing, which is no tool
	if i := strings.IndexAny(to, " <\t\r\n"); i >= 0 {
		to = to[:i]
	}
	return strings.TrimPrefix(to, "functions."), to != ""
}
