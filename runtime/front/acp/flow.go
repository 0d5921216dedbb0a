package acp

import "strings"

// flow is the text or the thoughts of model calls as they are sent to an editor. What was sent
// cannot be withdrawn: if the model was asked again and says the same, the editor gets only
// the rest (FRT-51).
type flow struct {
	kind   string
	prefix string // of ids
	call   string // the model call that is streaming
	id     string // of the message being sent: the call that began it
	on     string // the call that continues it
	said   string // what was sent of it
	lost   string // what was sent of a call that was never answered
	held   string // what its successor has said so far, as long as lost begins with it
	last   bool   // the last update was of this kind
}

// add takes a piece of a call's text.
func (f *flow) add(call, text string) []Update {
	if text == "" {
		return nil
	}
	f.call = call
	if f.lost == "" {
		return f.tell(call, text)
	}
	f.held += text
	if strings.HasPrefix(f.lost, f.held) {
		return nil
	}
	rest, same := strings.CutPrefix(f.held, f.lost)
	if same {
		f.on = call
	} else {
		rest = f.held
	}
	f.lost, f.held = "", ""
	return f.tell(call, rest)
}

// tell sends a text. A text of another call is a new message, and a new paragraph for editors
// that do not know messages.
func (f *flow) tell(id, text string) []Update {
	if id != f.on {
		if f.id != "" && f.last {
			text = "\n\n" + text
		}
		f.id, f.on, f.said = id, id, ""
	}
	f.said += text
	f.last = true
	return []Update{message(f.kind, f.prefix+f.id, text)}
}

// lose notes that what was sent of a call is in no record.
func (f *flow) lose(call string) {
	if f.call != call {
		return
	}
	if f.lost == "" {
		f.lost = strings.TrimPrefix(f.said, "\n\n")
	}
	f.held = ""
}

// end ends the text of a call. Held text is only a part of what was sent before; if nothing
// follows it, it is sent.
func (f *flow) end(call string) []Update {
	held, lost := f.held, f.lost
	f.lost, f.held = "", ""
	if held == "" || held == lost {
		return nil
	}
	return f.tell(call, held)
}
