package talk

import (
	"fmt"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/question"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

const (
	// restAfter is how long after a question appears the keys do not answer it: a key pressed
	// then was meant for what was there before.
	restAfter = 300 * time.Millisecond
	// decidedShown is how many characters of a refused call are shown.
	decidedShown = 72
	// leaveWithin is how soon a second ^C must follow to leave if there is nothing to cancel.
	leaveWithin = 3 * time.Second
)

// key handles a key (CLI-152, CLI-153).
func (m *Model) key(k Key) []Effect {
	if m.edit.Empty() && !m.refusing() {
		m.because = ""
	}
	switch k.Name {
	case "ctrl+c":
		return m.interrupt()
	case "esc":
		return m.escape()
	case "alt+esc": // what a terminal sends of two at once reads like this
		return append(m.escape(), m.escape()...)
	case "ctrl+d":
		if m.edit.Empty() {
			return m.leave()
		}
		m.edit.Delete()
		return nil
	case "ctrl+z":
		return []Effect{Suspend{}}
	case "ctrl+l":
		return []Effect{Clear{}}
	case "ctrl+o":
		m.unfold()
		return nil
	}
	if t := m.asking(); t != nil && m.edit.Empty() && k.Text != "" && !m.refusing() {
		if question.Because(k.Text) {
			m.refuse(t)
			return nil
		}
		if d, ok := question.Decision(k.Text); ok {
			return m.answer(t, d)
		}
	}
	return m.write(k)
}

// typingEvery is how often the daemon is told at most that the person writes.
const typingEvery = time.Minute

// typing adds that the person has begun to write a request (CLI-221).
func (m *Model) typing(effects []Effect) []Effect {
	if m.edit.Empty() || m.because != "" || strings.HasPrefix(m.edit.Text(), "/") || m.now.Sub(m.wrote) < typingEvery {
		return effects
	}
	return m.writes(effects)
}

// writes adds that the person writes, unless shelly is at work for this chat anyway.
func (m *Model) writes(effects []Effect) []Effect {
	if len(m.turns) > 0 {
		return effects
	}
	m.wrote = m.now
	return append(effects, Typing{Session: m.o.Session})
}

// write handles a key of the line editor.
func (m *Model) write(k Key) []Effect {
	columns := m.editColumns()
	switch k.Name {
	case "enter":
		return m.enter()
	case "alt+enter", "shift+enter", "ctrl+enter", "ctrl+j":
		m.edit.Insert("\n")
	case "tab":
		return m.complete()
	case "left", "ctrl+b":
		m.edit.Left()
	case "right", "ctrl+f":
		m.edit.Right()
	case "ctrl+left", "alt+left", "alt+b":
		m.edit.WordLeft()
	case "ctrl+right", "alt+right", "alt+f":
		m.edit.WordRight()
	case "up", "ctrl+p":
		m.edit.Up(columns)
	case "down", "ctrl+n":
		m.edit.Down(columns)
	case "home", "ctrl+a":
		m.edit.Home()
	case "end", "ctrl+e":
		m.edit.End()
	case "backspace", "ctrl+h", "shift+backspace":
		if m.edit.Empty() && len(m.images) > 0 {
			m.images = m.images[:len(m.images)-1]
		} else if m.edit.Empty() {
			m.because = ""
		}
		m.edit.Backspace()
	case "delete":
		m.edit.Delete()
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		m.edit.WordBackspace()
	case "ctrl+u":
		m.edit.KillLeft()
	case "ctrl+k":
		m.edit.KillRight()
	default:
		if k.Text == "" {
			return nil
		}
		m.insert(k.Text)
	}
	m.menu = menu{}
	return nil
}

func (m *Model) insert(text string) {
	if !m.edit.Insert(text) {
		m.tell("the text is too long; name a file that holds it instead")
	}
}

// paste handles pasted text (CLI-157). If it is the path of a picture, such as a file dropped
// on the window gives, the picture is read.
func (m *Model) paste(text string) []Effect {
	if path, ok := picture(text); ok {
		return []Effect{ReadImage{Path: path, Typed: text}}
	}
	m.insert(text)
	m.menu = menu{}
	return nil
}

// image attaches a picture that was read.
func (m *Model) image(i Image) {
	if i.Err == nil && len(m.images) >= comm.ImagesMax {
		i.Err = fmt.Errorf("a request has at most %d pictures: send these first", comm.ImagesMax)
	}
	switch {
	case i.Err != nil && i.Typed != "":
		m.insert(i.Typed)
		m.tell(i.Err.Error())
	case i.Err != nil:
		m.wrong(i.Err.Error())
	default:
		m.images = append(m.images, attached{name: i.Path, data: i.Data})
	}
}

// enter sends the line, or performs it as a command.
func (m *Model) enter() []Effect {
	text := m.edit.Text()
	if m.because != "" {
		return m.reason(strings.TrimSpace(text))
	}
	if strings.TrimSpace(text) == "" {
		if len(m.images) > 0 { // the daemon takes no request without a text
			m.tell("say what shelly should do with the picture")
		}
		return nil
	}
	if effects, done := m.command(text); done {
		return effects
	}
	m.edit.Clear()
	m.menu = menu{}
	return append(m.remember(text), m.send(strings.TrimSpace(text)))
}

// remember keeps a line that was sent (CLI-156). Commands, and lines that begin with a space,
// are not kept for later starts.
func (m *Model) remember(text string) []Effect {
	m.edit.Remember(text)
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, " ") {
		return nil
	}
	return []Effect{Remember{Line: text}}
}

// send sends a request.
func (m *Model) send(text string) Effect {
	t := &turn{id: m.o.NewID(), text: text, images: len(m.images), began: m.now}
	ask := Ask{ID: t.id, Session: m.o.Session, Text: text}
	for _, i := range m.images {
		ask.Images = append(ask.Images, i.data)
	}
	m.images = nil
	m.turns = append(m.turns, t)
	return ask
}

// asking returns the turn whose question is open, or nil.
func (m *Model) asking() *turn {
	for _, t := range m.turns {
		if t.open != nil {
			return t
		}
	}
	return nil
}

// answer answers a question.
func (m *Model) answer(t *turn, d client.Decision) []Effect {
	if m.now.Sub(t.opened) < restAfter {
		return nil
	}
	d.Key = t.open.Key
	t.answered = t.open.Key
	if t.apart = ""; t.broken {
		t.apart = t.open.Key
	}
	effect := Decide{ID: t.id, Handle: t.open.Handle, Decision: d}
	t.deciding, t.open = t.open, nil
	what := t.deciding.Tool
	if !d.Approve { // no call will show them
		what += " " + strings.Join(question.Arguments(t.deciding.Args), ", ")
	}
	text := question.Words(d) + ": " + terminal.Cut(what, decidedShown)
	if d.Reason != "" {
		text += "; because: " + terminal.Cut(line(d.Reason), decidedShown)
	}
	t.decision = t.note(text)
	return []Effect{effect}
}

// decided handles the outcome of an answer.
func (m *Model) decided(d Decided) {
	t := m.turn(d.ID)
	if t == nil {
		return
	}
	switch {
	case d.Err != nil:
		t.apart = ""
		t.unsay(t.decision, item{kind: noted, failed: true, text: "not answered: " + d.Err.Error(), done: true})
		if t.deciding != nil && t.deciding.Key == d.Key {
			t.open, t.answered = t.deciding, ""
			m.unsaid(d)
		}
	case !d.Taken:
		t.apart = ""
		t.unsay(t.decision, item{kind: noted, text: "not accepted: it was answered before, or timed out", done: true})
	}
}

// interrupt is ^C: it empties the line, cancels what runs, and leaves if it has already done
// so.
func (m *Model) interrupt() []Effect {
	switch t := m.first(); {
	case !m.edit.Empty() || len(m.images) > 0:
		m.edit.Clear()
		m.images, m.menu, m.because = nil, menu{}, ""
		return nil
	case t != nil && !t.cancelling:
		return m.cancel(t)
	case t != nil:
		return m.leave()
	case !m.leaving.IsZero() && m.now.Sub(m.leaving) < leaveWithin:
		return m.leave()
	}
	m.leaving = m.now
	m.tell("^C again leaves")
	return nil
}

// escape closes the list of commands, or cancels what runs.
func (m *Model) escape() []Effect {
	if m.menu.open() {
		m.menu = menu{hidden: m.edit.Text()}
		return nil
	}
	if m.refusing() {
		m.because = ""
		m.edit.Clear()
		return nil
	}
	switch t := m.first(); {
	case t == nil:
		return nil
	case t.cancelling:
		return m.leave()
	default:
		return m.cancel(t)
	}
}

// first returns the turn that runs, or nil.
func (m *Model) first() *turn {
	if len(m.turns) == 0 {
		return nil
	}
	return m.turns[0]
}

func (m *Model) cancel(t *turn) []Effect {
	t.cancelling = true
	return []Effect{Cancel{ID: t.id}}
}

// cancelled handles the outcome of a cancel.
func (m *Model) cancelled(c Cancelled) {
	t := m.turn(c.ID)
	switch {
	case t == nil:
	case c.Err != nil:
		t.add(&item{kind: noted, failed: true, text: c.Err.Error(), done: true})
	case !c.Taken:
		t.note("not cancelled: the profile does not allow it, or it has ended; ^C again leaves")
	}
}

func (m *Model) leave() []Effect {
	if !m.quit {
		m.left, m.quit = m.Unfinished(), true
	}
	return []Effect{Quit{}}
}

// unfold switches between thoughts and calls in full and in one line. Lines already printed
// stay as they are; if nothing runs, those of the last turn are printed in full below it.
func (m *Model) unfold() {
	if t := m.asking(); t != nil {
		m.print(noted, m.questionLines(t, 0)...)
		return
	}
	if len(m.turns) > 0 || m.last == nil {
		m.unfolded = !m.unfolded
		return
	}
	shown := false
	for _, i := range m.last.items {
		if i.kind == called || i.kind == thought {
			m.print(i.kind, m.itemLines(i, true)...)
			shown = true
		}
	}
	if !shown {
		m.tell("the last turn has no thoughts and no tool calls")
	}
}

// tell prints a note about the chat itself.
func (m *Model) tell(text string) { m.note(text, false) }

// wrong prints why something that the person wants cannot be done.
func (m *Model) wrong(text string) { m.note(text, true) }

func (m *Model) note(text string, failed bool) {
	m.print(noted, m.itemLines(&item{kind: noted, text: text, failed: failed}, false)...)
}

// ended handles the end of a request.
func (m *Model) ended(e Ended) []Effect {
	t := m.turn(e.ID)
	if t == nil {
		return nil
	}
	if e.Err != nil {
		t.finish(e.Err.Error(), true)
	} else {
		t.finish(e.Reply.Text, e.Reply.IsError)
		if o := e.Reply.Outcome; !e.Reply.IsError && o != "" && o != fsm.OutcomeAnswered {
			t.note("ended: " + string(o))
		}
	}
	if strings.EqualFold(t.text, "/stop") {
		return []Effect{Elsewhere{Session: m.Session()}}
	}
	return nil
}
