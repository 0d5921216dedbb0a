package skill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"shelly/runtime/descriptor"
	"shelly/sim/strict"
)

// names returns the names in a folder that are not hidden, in order, of the first
// entriesMax that the system gives.
func names(root *os.Root, dir string) ([]string, error) {
	folder, err := descriptor.Get(context.Background(), func() (*os.File, error) { return root.Open(dir) })
	if err != nil {
		return nil, err
	}
	entries, err := folder.ReadDir(entriesMax)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	var found []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			found = append(found, e.Name())
		}
	}
	slices.Sort(found)
	return found, errors.Join(err, folder.Close())
}

// readFile reads a text of a skill's folder, line ends as LF.
func (l *Library) readFile(folder, name string) (text string, err error) {
	root, err := descriptor.Get(context.Background(), func() (*os.Root, error) { return l.root.OpenRoot(folder) })
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	// Not to wait for the other end of a pipe.
	file, err := descriptor.Get(context.Background(), func() (*os.File, error) {
		return root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no %s: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", name)
	}
	data, err := io.ReadAll(io.LimitReader(file, textBytesMax+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > textBytesMax:
		return "", fmt.Errorf("%s is longer than %d bytes, the maximum", name, textBytesMax)
	case !utf8.Valid(data):
		return "", fmt.Errorf("%s is not UTF-8 text", name)
	}
	text = strings.TrimPrefix(string(data), "\uFEFF")
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}

// header is the front matter.
type header struct {
	Name        string
	Description string
	Always      bool
}

// readHeader reads the front matter. What else stands in it is of no concern here, and
// any scalar is a text, since skills are written for other programs too.
func readHeader(front string) (head header, err error) {
	root, problem := strict.Parse([]byte(front), "front matter", "")
	if problem != nil {
		return head, strict.Failed(fileName, nil, []strict.Problem{*problem})
	}
	if root == nil {
		return head, nil
	}
	var d strict.Decoder
	d.Members(root, "", func(key, value *strict.Node, at string) {
		switch value = value.Follow(); key.Value {
		case "name":
			head.Name = textOf(&d, value, at)
		case "description":
			head.Description = textOf(&d, value, at)
		case "always":
			switch word := textOf(&d, value, at); strings.ToLower(word) {
			case "true", "yes", "on", "y":
				head.Always = true
			case "", "false", "no", "off", "n":
			default:
				d.Add(value, at, "wants true or false, not "+value.String())
			}
		}
	})
	return head, strict.Failed(fileName, nil, d.Problems)
}

func textOf(d *strict.Decoder, n *strict.Node, path string) string {
	switch {
	case n.Kind == strict.NullKind:
		return ""
	case !n.Scalar():
		d.Add(n, path, "wants text, not "+n.String())
	}
	return n.Value
}

const fence = "---\n"

// parse takes a SKILL.md apart.
func parse(text string) (head header, body string, err error) {
	rest, ok := strings.CutPrefix(text, fence)
	if !ok {
		return head, "", fmt.Errorf("%s does not begin with a line ---, as its front matter must", fileName)
	}
	front, body, ok := strings.Cut("\n"+rest+"\n", "\n"+fence)
	if !ok {
		return head, "", fmt.Errorf("the front matter of %s does not end with a line ---", fileName)
	}
	if head, err = readHeader(front); err != nil {
		return head, "", fmt.Errorf("the front matter of %s is not YAML with texts name and description and a truth value always: %s",
			fileName, strings.Join(strings.Fields(err.Error()), " "))
	}
	head.Description = strings.Join(strings.Fields(head.Description), " ")
	body = strings.TrimSpace(body)
	switch {
	case head.Description == "":
		err = errors.New("it has no description, by which the model could choose it")
	case len(head.Description) > summaryBytesMax:
		err = fmt.Errorf("its description is %d bytes long and the most is %d", len(head.Description), summaryBytesMax)
	case body == "":
		err = fmt.Errorf("there are no instructions after the front matter of %s", fileName)
	}
	return head, body, err
}

func checkName(name string) error {
	if len(name) > nameBytesMax || !regexp.MustCompile(`^[\pL\pN][\pL\pN_.-]*$`).MatchString(name) {
		return fmt.Errorf("the name %q is not made of letters, digits, '-', '_' and '.', at most %d bytes", name, nameBytesMax)
	}
	return nil
}
