package acp

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelly/runtime/comm"
	"shelly/runtime/front/rpc"
	"shelly/runtime/front/wire"
)

// Place is the folders in which an editor and shelly work.
type Place struct {
	Workspace string // the folder that the tools work in, absolute
	Folder    string // the editor's, relative to it; "" or ".": the same
	// Held returns what a file holds now.
	Held func(path string) Earlier
	// Before returns what a file held before the call with a result changed it; after is what it
	// held then, nil if that is unknown.
	Before func(path string, after *string, result string) Earlier
}

// Earlier is what a file held. The protocol has a diff without an old text stand for a new file,
// so what is unknown is told from it.
type Earlier struct {
	Known bool
	Text  *string // nil: there was no such file
}

// named is how a prompt names a folder that is not the workspace.
func (p Place) named() string {
	if p.Folder == "" || p.Folder == "." {
		return ""
	}
	return "\n\ncwd: `" + filepath.ToSlash(p.Folder) + "`"
}

// asked is the part of a request's text that a person wrote.
func (p Place) asked(text string) string { return strings.Replace(text, p.named(), "", 1) }

// Said is the content of a prompt.
type Said struct {
	Text   string
	Images [][]byte
}

// Prompt reads the content of a prompt (FRT-49). Its errors are of [rpc.CodeParams].
func Prompt(blocks wire.Value, p Place) (Said, error) {
	if blocks.Kind != wire.List {
		return Said{}, rpc.Errorf(rpc.CodeParams, "prompt is %s; send a list", blocks.Kind)
	}
	r := reader{place: p}
	for _, b := range blocks.Items {
		if err := r.block(b); err != nil {
			return Said{}, err
		}
	}
	said := Said{Text: strings.TrimSpace(r.text.String()), Images: r.images}
	if said.Text == "" {
		return Said{}, rpc.Errorf(rpc.CodeParams, "the prompt has no text; say what is to be done")
	}
	if !strings.HasPrefix(said.Text, "/") {
		said.Text += p.named()
	}
	said.Text += r.attached.String()
	return said, nil
}

// reader puts a prompt together.
type reader struct {
	place    Place
	text     strings.Builder
	name     bool            // the text ends with a file's name
	attached strings.Builder // comes after the text: contents of files
	images   [][]byte
}

func (r *reader) block(b wire.Value) error {
	switch kind := b.Member("type").Text; kind {
	case "text":
		text := b.Member("text")
		if text.Kind != wire.String {
			return rpc.Errorf(rpc.CodeParams, "%s.text is %s; send %s", b.Path(), text.Kind, wire.String)
		}
		r.write(text.Text, false)
	case "image":
		return r.image(b, b.Member("data"))
	case "resource_link":
		if b.Member("uri").Text == "" && b.Member("name").Text == "" {
			return rpc.Errorf(rpc.CodeParams, "%s has no uri; send the file's address", b.Path())
		}
		r.mention(b.Member("uri").Text, b.Member("name").Text)
	case "resource":
		return r.resource(b, b.Member("resource"))
	case "audio":
		return rpc.Errorf(rpc.CodeParams, "%s is sound, which shelly does not take", b.Path())
	default:
		return rpc.Errorf(rpc.CodeParams, "%s is of the unknown type %q", b.Path(), kind)
	}
	return nil
}

func (r *reader) image(b, data wire.Value) error {
	if data.Text == "" {
		return rpc.Errorf(rpc.CodeParams, "%s has no data; shelly fetches nothing from an address", b.Path())
	}
	file, err := base64.StdEncoding.DecodeString(data.Text)
	if err != nil {
		return rpc.Errorf(rpc.CodeParams, "%s is not base64", data.Path())
	}
	if err := comm.CheckImage(file); err != nil {
		return rpc.Errorf(rpc.CodeParams, "%s %s", b.Path(), err)
	}
	if len(r.images) == comm.ImagesMax {
		return rpc.Errorf(rpc.CodeParams, "the prompt has more than %d images", comm.ImagesMax)
	}
	r.images = append(r.images, file)
	return nil
}

// resource takes the content of a file that the editor has attached. If that is neither
// text nor an image it takes only the name.
func (r *reader) resource(b, v wire.Value) error {
	uri := v.Member("uri").Text
	if uri == "" {
		return rpc.Errorf(rpc.CodeParams, "%s.resource has no uri; send the file's address", b.Path())
	}
	if strings.HasPrefix(v.Member("mimeType").Text, "image/") && v.Member("blob").Text != "" {
		return r.image(v, v.Member("blob"))
	}
	name := r.mention(uri, "")
	text := v.Member("text")
	switch text.Kind {
	case wire.Null:
		return nil
	case wire.String:
	default:
		return rpc.Errorf(rpc.CodeParams, "%s is %s; send %s", text.Path(), text.Kind, wire.String)
	}
	fmt.Fprintf(&r.attached, "\n\n%s:\n%s", name, fenced(text.Text))
	return nil
}

// mention writes a file's name into the text, and returns it: a file in the workspace is named
// as the tools name it.
func (r *reader) mention(uri, name string) string {
	at := cmp.Or(r.named(uri), name)
	at = strings.Map(func(c rune) rune { // a name stays on one line
		if c < ' ' || c == '`' {
			return '_'
		}
		return c
	}, at)
	r.write("`"+at+"`", true)
	return at
}

// write adds to the text. Between a file's name and a word there is a space, whether or not the
// editor has sent one.
func (r *reader) write(text string, name bool) {
	if text == "" {
		return
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(r.text.String())
	ended := r.text.Len() > 0 && (word(last) || strings.ContainsRune("`.,;:!?)", last))
	if name && ended || r.name && word(first) {
		r.text.WriteByte(' ')
	}
	r.text.WriteString(text)
	r.name = name
}

func word(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

func (r *reader) named(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" && u.Scheme != "" {
		return uri
	}
	path := filepath.FromSlash(u.Path)
	if rel, err := filepath.Rel(r.place.Workspace, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	if u.Fragment != "" {
		path += "#" + u.Fragment
	}
	return path
}

// fenced returns a text as a fenced code block of CommonMark that nothing in the text can end.
func fenced(text string) string {
	longest, run := 2, 0
	for _, c := range text {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	mark := strings.Repeat("`", longest+1)
	return mark + "\n" + strings.TrimSuffix(text, "\n") + "\n" + mark
}
