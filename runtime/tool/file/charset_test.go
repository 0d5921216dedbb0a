package file

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	utf "golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"

	"shelly/runtime/tool/file/charset"
)

var (
	gb     = simplifiedchinese.GBK
	latin1 = charmap.ISO8859_1
	cp1252 = charmap.Windows1252
	le     = utf.UTF16(utf.LittleEndian, utf.ExpectBOM)
	be     = utf.UTF16(utf.BigEndian, utf.ExpectBOM)
	leBare = utf.UTF16(utf.LittleEndian, utf.IgnoreBOM)
	beBare = utf.UTF16(utf.BigEndian, utf.IgnoreBOM)
)

func encoded(t *testing.T, e encoding.Encoding, text string) string {
	t.Helper()
	s, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatalf("%q: got %v; want no error", text, err)
	}
	return s
}

func TestTOL13ATextIsReadHoweverItIsWritten(t *testing.T) {
	const western, gbk, little, big = "Windows-1252 (Latin-1)", "GBK", "UTF-16LE", "UTF-16BE"
	for _, c := range []struct {
		text    string
		written encoding.Encoding
		name    string // empty: it is UTF-8, and nothing is said
	}{
		{"café\n", latin1, western},
		{"é", latin1, western},
		{"naïve\n", latin1, western},
		{"créée par les élèves\n", latin1, western},
		{"Straße, Köln: 20 °C, 3 £\n", latin1, western},
		{"El niño comió ¿qué?\n", latin1, western},
		{"“quoted” – café 5 €\n", cp1252, western},
		{"你好", gb, gbk},
		{"你好，世界。\n", gb, gbk},
		{"name=张三\nage=3\n", gb, gbk},
		{"联通", gb, gbk}, // by some tools taken for UTF-8
		{"朱镕基", gb, gbk},
		{"plain\n", le, little}, {"plain\n", be, big},
		{"你好世界", le, little}, {"你好世界", be, big},
		{"x", le, little}, {"a,b\r\n1,2\r\n", leBare, little}, {"a,b\r\n1,2\r\n", beBare, big},
		{"plain\n", encoding.Nop, ""}, {"café 你好 🙂\n", encoding.Nop, ""},
		{"mark\n", utf.UTF8BOM, ""}, {"no mark: \ufeff.\n", encoding.Nop, ""},
	} {
		w := newWorld(t)
		w.write("text", encoded(t, c.written, c.text))
		want := c.text
		if c.name != "" {
			want = strings.TrimSuffix(want, "\n") + "\n[the file is written in " + c.name + ", and shown as UTF-8]"
		}
		if got := w.call("read_file", map[string]any{"path": "text"}); got.Failed || got.Text != want {
			t.Errorf("%q in %s: %q", c.text, c.name, got.Text)
		}
	}
}

// Lines are counted after decoding, and a long text is read in parts.
func TestTOL13PartsOfATextThatIsNotUTF8(t *testing.T) {
	for _, e := range []encoding.Encoding{gb, le, be} {
		w := newWorld(t)
		w.write("text", encoded(t, e, strings.Repeat("你好，世界。\n", 3000)))
		got := w.call("read_file", map[string]any{"path": "text", "offset": 2999, "limit": 1})
		if got.Failed || !strings.HasPrefix(got.Text, "你好，世界。\n[lines 2999 to 2999 of ") || !strings.Contains(got.Text, "read on with offset 3000") {
			t.Errorf("got %q, %v; want got.Failed false, beginning with %q, with %q", got.Text, got.Failed, "你好，世界。\n[lines 2999 to 2999 of ", "read on with offset 3000")
		}
	}
}

// The beginning of a text may be ASCII, of any length, in all encodings but UTF-16.
func TestTOL13ATextIsReadWhereverItsFirstLetterBeyondASCIIIs(t *testing.T) {
	for _, c := range []struct {
		word    string
		written encoding.Encoding
		name    string // empty: it is UTF-8
	}{
		{"café", latin1, "Windows-1252 (Latin-1)"}, {"20 °", latin1, "Windows-1252 (Latin-1)"}, {"你好，世界", gb, "GBK"}, {"café", encoding.Nop, ""}, {"🙂", encoding.Nop, ""},
	} {
		for _, after := range []int{sampleBytes - 1, sampleBytes, 2*sampleBytes - 2, 5*sampleBytes + 7} {
			w := newWorld(t)
			w.write("f", strings.Repeat("x", after-1)+"\n"+encoded(t, c.written, c.word))
			note := ""
			if c.name != "" {
				note = "\n[the file is written in " + c.name + ", and shown as UTF-8]"
			}
			if got := w.call("read_file", object{"path": "f", "offset": 2}); got.Text != c.word+note {
				t.Errorf("%s in %s after %d bytes: read_file shows %q", c.word, c.name, after, got.Text)
			}
			if got := w.call("grep", object{"path": "f", "pattern": c.word}); got.Text != "f\n2: "+c.word+"\n" {
				t.Errorf("%s in %s after %d bytes: grep finds %q", c.word, c.name, after, got.Text)
			}
			if got := w.call("edit_file", object{"path": "f", "old": c.word, "new": "tea"}); got.Failed {
				t.Errorf("%s in %s after %d bytes: edit_file says %q", c.word, c.name, after, got.Text)
			}
		}
	}
}

func TestWhatIsBinaryStaysBinary(t *testing.T) {
	for name, bytes := range map[string]string{
		"zeros":        strings.Repeat("\x00", 64),
		"one zero":     "text\x00more",
		"an ELF":       "\x7fELF\x02\x01\x01\x00\x00\x00",
		"a JPEG":       "\xff\xd8\xff\xe0\x10JFIF\x01\x02\x01H\xc4\x9f\x81\x8d",
		"a mark alone": "\xff\xfe\x01\x00\x02\x00\x03\x00",
		"gzip":         "\x1f\x8b\x08\x08\x9d\x81\xe3\xff\x01\x02\x8f\x90",
		"small shorts": strings.Repeat("\x05\x00\x06\x00", 20),
		"high noise":   strings.Repeat("\x81\x9d\xfe\x8f", 50),
	} {
		w := newWorld(t)
		w.write("x", bytes)
		if got := w.call("read_file", map[string]any{"path": "x"}); !strings.HasSuffix(got.Text, "; not shown as text)") {
			t.Errorf("%s: got %q; want one ending with %q", name, got.Text, "; not shown as text)")
		}
	}
}

// UTF-8 is never taken for another encoding, wherever a sample of it ends.
func TestTOL13UTF8IsUTF8(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching("[ -~\u00a0-\u024f\u4e00-\u9fff😀-🙏]{1,200}").Draw(t, "text")
		cut := text[:rapid.IntRange(1, len(text)).Draw(t, "cut")]
		got, ok := charset.Of([]byte(cut), false)
		if !ok || got.Name != "" {
			t.Fatalf("%q is %q, %v", cut, got.Name, ok)
		}
	})
}

// A text that could not be written back as it is is not taken for one that can be edited.
func TestTOL23ATextThatWouldNotComeBackIsNotChanged(t *testing.T) {
	wide := func(text string) string { // in UTF-16LE
		var b strings.Builder
		for _, r := range text {
			b.WriteString(string([]byte{byte(r), byte(r >> 8)}))
		}
		return b.String()
	}
	for name, bytes := range map[string]string{
		"half a pair":      "\xff\xfe" + wide("alpha is the first letter\n") + "\x00\xd8" + wide(" of them\n"),
		"half a character": "\xff\xfe" + wide("alpha is the first letter\n") + "x",
	} {
		w := newWorld(t)
		w.write("x", bytes)
		if got := w.call("edit_file", map[string]any{"path": "x", "old": "alpha", "new": "omega"}); !got.Failed {
			t.Errorf("%s: got %+v; want that it is not edited", name, got)
		}
		w.holds("x", bytes)
	}
}
