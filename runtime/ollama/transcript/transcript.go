package transcript

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
)

//go:embed answers/*.txt
var answers embed.FS

// Exchange is one request and its answer.
type Exchange struct {
	Name         string // of the file, without its extension
	Method, Path string
	Request      string // the body; empty if there was none
	Status       int
	Header       http.Header
	Answer       string // the body
}

// All returns the exchanges in the order in which they took place.
func All() ([]Exchange, error) {
	files, err := fs.Glob(answers, "answers/*.txt")
	if err != nil {
		return nil, err
	}
	var list []Exchange
	for _, name := range files {
		text, err := fs.ReadFile(answers, name)
		if err != nil {
			return nil, err
		}
		e, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		e.Name = strings.TrimSuffix(strings.TrimPrefix(name, "answers/"), ".txt")
		list = append(list, e)
	}
	return list, nil
}

func parse(text string) (e Exchange, err error) {
	asked, answered, ok := strings.Cut(text, "### response\n")
	if !ok {
		return e, fmt.Errorf("has no response")
	}
	first, body, _ := strings.Cut(asked, "\n")
	if _, err := fmt.Sscanf(first, "### %s %s", &e.Method, &e.Path); err != nil {
		return e, fmt.Errorf("the first line: %w", err)
	}
	e.Request = strings.TrimSpace(body)
	head, answer, _ := strings.Cut(answered, "\n\n")
	e.Answer = strings.TrimSpace(answer)
	lines := strings.Split(head, "\n")
	status := strings.Fields(lines[0])
	if len(status) < 2 {
		return e, fmt.Errorf("the status line is %q", lines[0])
	}
	if e.Status, err = strconv.Atoi(status[1]); err != nil {
		return e, err
	}
	e.Header = http.Header{}
	for _, line := range lines[1:] {
		if key, value, ok := strings.Cut(line, ": "); ok {
			e.Header.Set(key, value)
		}
	}
	return e, nil
}
