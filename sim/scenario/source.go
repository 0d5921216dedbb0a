package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// The limits on one file (SCN-19).
const (
	FileBytesMax     = 1 << 20   // its size, and that of each fragment
	DepthMax         = 40        // maps and lists within each other
	NodesMax         = 20_000    // values of a case, aliases and variables written out
	TextBytesMax     = 4 << 20   // the texts and keys of a case, aliases and variables written out
	IncludesMax      = 16        // fragments
	MatrixNamesMax   = 32        // names of a matrix
	CasesPerFileMax  = 1000      // cases of a matrix
	FileNodesMax     = 1_000_000 // values of all its cases
	FileTextBytesMax = 64 << 20  // texts and keys of all its cases
	problemsMax      = 50        // problems that are told
)

// readFile reads a whole file. Its errors do not name the path. What is no regular
// file is not opened, since that may block.
func readFile(fsys fs.FS, path string) ([]byte, error) {
	info, err := fs.Stat(fsys, path)
	if err == nil {
		err = readable(info)
	}
	if err != nil {
		return nil, withoutPath(err)
	}
	file, err := fsys.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	source, err := io.ReadAll(io.LimitReader(file, FileBytesMax+1))
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case len(source) > FileBytesMax:
		return nil, errTooLarge
	}
	return source, nil
}

func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

var errTooLarge = fmt.Errorf("is too large; the limit is %d KiB", FileBytesMax>>10)

// readable says why a file cannot be read whole, or returns nil.
func readable(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return errors.New("is a directory, not a file")
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("is a FIFO, not a regular file")
	case mode&fs.ModeDevice != 0:
		return errors.New("is a device, not a regular file")
	case mode&fs.ModeSocket != 0:
		return errors.New("is a socket, not a regular file")
	case mode&fs.ModeSymlink != 0:
		return errors.New("is a symbolic link, not a regular file")
	case !mode.IsRegular():
		return errors.New("is not a regular file")
	case info.Size() > FileBytesMax:
		return errTooLarge
	}
	return nil
}

// withoutPath is an error without the path, which its place names already.
func withoutPath(err error) error {
	var p *fs.PathError
	if !errors.As(err, &p) {
		return err
	}
	if absent(err) {
		return errors.New("no such file")
	}
	return p.Err
}

// parse returns the root, a map, of the one document in source. what is "a scenario"
// or "a fragment".
func parse(source []byte, what string) (*yaml.Node, *Problem) {
	if problem := checkText(source, what); problem != nil {
		return nil, problem
	}
	loader, err := yaml.NewLoader(bytes.NewReader(source))
	if err != nil {
		return nil, syntaxProblem(err, source)
	}
	var doc, second yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF), err == nil && len(doc.Content) == 0:
		return nil, &Problem{Pos: Pos{Line: 1, Col: 1}, Text: emptyText(what)}
	case err != nil:
		return nil, syntaxProblem(err, source)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, &Problem{Pos: Pos{Line: second.Line, Col: second.Column}, Text: "a second document begins; " + what + " is one document"}
	case !errors.Is(err, io.EOF):
		return nil, syntaxProblem(err, source)
	}
	root := doc.Content[0]
	if deep := beyond(root, DepthMax); deep != nil {
		return nil, &Problem{Pos: Pos{Line: deep.Line, Col: deep.Column}, Text: tooDeep()}
	}
	if root.Kind != yaml.MappingNode {
		return nil, &Problem{Pos: Pos{Line: root.Line, Col: root.Column}, Text: what + " is a map, found " + kindOf(root)}
	}
	return root, nil
}

func tooDeep() string { return fmt.Sprintf("nested too deep; the limit is %d", DepthMax) }

// beyond returns the first node that is nested deeper than a limit, aliases not
// followed; nil where none is.
func beyond(n *yaml.Node, limit int) *yaml.Node {
	if limit == 0 {
		return n
	}
	for _, inner := range n.Content {
		if deep := beyond(inner, limit-1); deep != nil {
			return deep
		}
	}
	return nil
}

func emptyText(what string) string {
	if what == "a scenario" {
		return "is empty; a scenario is a map that begins with scenario: 1"
	}
	return "is empty; " + what + " is a map"
}

// checkText refuses, with their place, bytes that are no text.
func checkText(source []byte, what string) *Problem {
	switch {
	case len(bytes.TrimSpace(source)) == 0:
		return &Problem{Pos: Pos{Line: 1, Col: 1}, Text: emptyText(what)}
	case len(source) > FileBytesMax:
		return &Problem{Text: errTooLarge.Error()}
	}
	at := Pos{Line: 1, Col: 1}
	for i := 0; i < len(source); {
		r, size := utf8.DecodeRune(source[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return &Problem{Pos: at, Text: fmt.Sprintf("byte 0x%02x is not UTF-8; save the file as UTF-8", source[i])}
		case unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r):
			return &Problem{Pos: at, Text: fmt.Sprintf("control character U+%04X; remove it, or write it as \\x%02x in double quotes", r, r)}
		}
		at.Col++
		if r == '\n' {
			at = Pos{Line: at.Line + 1, Col: 1}
		}
		i += size
	}
	return nil
}
