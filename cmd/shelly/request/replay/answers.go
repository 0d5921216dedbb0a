package replay

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"shelly/fsm"
	"shelly/runtime/system"
	"shelly/sim/history/regression"
)

// Key identifies one answer: the question, the model, its options, and the repetition.
type Key struct {
	Question string `json:"question"` // regression.Question.Hash
	Digest   string `json:"digest"`   // of the model's manifest; its name if the server does not report one
	Options  string `json:"options"`  // hash of what the client sends with the question
	Run      int    `json:"run"`      // from 1
}

// Answer is one line of the file of answers (CLI-25).
type Answer struct {
	Key
	Model  string             `json:"model"`
	At     fsm.Millis         `json:"at"` // when it arrived
	Took   fsm.Millis         `json:"took_ms"`
	Answer *fsm.BrainAnswered `json:"answer,omitempty"`
	Class  fsm.BrainClass     `json:"class,omitempty"` // of a failure, in place of Answer
	Reason string             `json:"reason,omitempty"`
}

// Decision returns what the answer decides on a question.
func (a Answer) Decision(q regression.Question) regression.Decision {
	if a.Answer == nil {
		return regression.Failure(a.Class, a.Reason)
	}
	return q.Read(*a.Answer)
}

// Spent returns what the answer took.
func (a Answer) Spent() regression.Spent {
	if a.Answer == nil {
		return regression.Spent{Took: a.Took}
	}
	return regression.Cost(*a.Answer, a.Took)
}

// header is the first line of a file of answers, which tells it from any other file.
const header = `{"shelly_answers":1}` + "\n"

// ErrOther reports that a file is not a file of answers.
var ErrOther = errors.New("is not a file of answers written by shelly request replay")

// ErrInUse reports that another process writes the file.
var ErrInUse = errors.New("another replay is writing it")

// Answers is a file of answers. An answer that was added survives a crash; a last line that a
// crash has cut is removed when the file is opened.
type Answers struct {
	file  *os.File
	known map[Key]Answer
}

// Open opens a file of answers, or creates it. Only its user can read it, because it holds
// texts of requests.
func Open(name string) (*Answers, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	a := &Answers{file: file, known: map[Key]Answer{}}
	if err := a.load(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, errors.Join(err, file.Close()))
	}
	return a, nil
}

// Read reads a file of answers without changing it. A missing file has no answers.
func Read(name string) (*Answers, error) {
	a := &Answers{known: map[Key]Answer{}}
	file, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a, nil
	case err != nil:
		return nil, err
	}
	a.file = file
	if _, err := a.read(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, errors.Join(err, file.Close()))
	}
	return a, nil
}

// Close closes the file.
func (a *Answers) Close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

// load reads the answers and leaves the position after the last one.
func (a *Answers) load() error {
	if held, err := system.TryLock(a.file.Fd(), true); held || err != nil {
		return ErrInUse
	}
	whole, err := a.read()
	if err != nil {
		return err
	}
	if err := a.file.Truncate(whole); err != nil {
		return err
	}
	if _, err := a.file.Seek(whole, io.SeekStart); err != nil {
		return err
	}
	if whole > 0 {
		return nil
	}
	return a.write([]byte(header))
}

// read returns how many bytes the whole lines of the file take.
func (a *Answers) read() (whole int64, err error) {
	in := bufio.NewReader(a.file)
	if first, _ := in.Peek(len(header)); !strings.HasPrefix(header, string(first)) {
		return 0, ErrOther
	}
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			return whole, nil
		case err != nil:
			return 0, err
		case n > 1:
			var answer Answer
			if err := json.Unmarshal(line, &answer); err != nil {
				return 0, fmt.Errorf("line %d is damaged (%w); remove it, or name another file with --out", n, err)
			}
			a.known[answer.Key] = answer
		}
		whole += int64(len(line))
	}
}

// Known returns a kept answer. A failure does not count: it is asked again.
func (a *Answers) Known(key Key) (Answer, bool) {
	answer, ok := a.known[key]
	return answer, ok && answer.Answer != nil
}

// Get returns a kept answer, which may be a failure.
func (a *Answers) Get(key Key) (Answer, bool) {
	answer, ok := a.known[key]
	return answer, ok
}

// Add appends an answer durably.
func (a *Answers) Add(answer Answer) error {
	line, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	if err := a.write(append(line, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", a.file.Name(), err)
	}
	a.known[answer.Key] = answer
	return nil
}

func (a *Answers) write(line []byte) error {
	if _, err := a.file.Write(line); err != nil {
		return err
	}
	return a.file.Sync()
}
