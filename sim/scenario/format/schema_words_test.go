package format

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// words are the comments on types and fields of the format's packages, which
// describe the keys to whoever writes a file.
type words struct {
	types  map[string]string // by package.Type
	fields map[string]string // by package.Type.Field
}

// sourceWords reads the comments of this package and of fsm, whose settings are
// keys of config.
func sourceWords(t *testing.T) words {
	t.Helper()
	w := words{map[string]string{}, map[string]string{}}
	for _, folder := range []string{".", "../match", "../expression", "../document", "../../strict", "../../../fsm"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			w.add(file)
		}
	}
	return w
}

func (w words) add(file *ast.File) {
	for _, d := range file.Decls {
		declared, ok := d.(*ast.GenDecl)
		if !ok || declared.Tok != token.TYPE {
			continue
		}
		for _, s := range declared.Specs {
			spec := s.(*ast.TypeSpec)
			name := file.Name.Name + "." + spec.Name.Name
			doc := spec.Doc
			if doc == nil {
				doc = declared.Doc
			}
			w.types[name] = doc.Text()
			if fields, ok := spec.Type.(*ast.StructType); ok {
				w.addFields(name, fields)
			}
		}
	}
}

func (w words) addFields(name string, s *ast.StructType) {
	for _, f := range s.Fields.List {
		text := f.Comment.Text()
		if text == "" {
			text = f.Doc.Text()
		}
		for _, id := range f.Names {
			w.fields[name+"."+id.Name] = text
		}
	}
}

var docLink = regexp.MustCompile(`\[([A-Za-z][\w.]*)\]`)

// of is the first paragraph of a type's comment, to its last full stop and without
// the type's name at its beginning.
func (w words) of(t reflect.Type) string {
	first, _, _ := strings.Cut(w.types[t.String()], "\n\n")
	text := docLink.ReplaceAllString(strings.Join(strings.Fields(first), " "), "$1")
	if end := strings.LastIndexAny(text, ".:"); end >= 0 {
		text = text[:end]
	}
	for _, verb := range []string{" is ", " are "} {
		text = strings.TrimPrefix(text, t.Name()+verb)
	}
	return text
}

// ofField is the comment on a field, on one line.
func (w words) ofField(t reflect.Type, field string) string {
	text := strings.Join(strings.Fields(w.fields[t.String()+"."+field]), " ")
	return docLink.ReplaceAllString(text, "$1")
}

// listed are the lines of a type's comment that word one key each: what stands
// after two blanks or more.
func (w words) listed(t reflect.Type, key *regexp.Regexp) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(w.types[t.String()]) {
		head, text, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok || !strings.HasPrefix(line, "\t") {
			continue
		}
		for _, k := range key.FindAllString(head, -1) {
			found[k] = docLink.ReplaceAllString(strings.TrimSpace(text), "$1")
		}
	}
	return found
}
