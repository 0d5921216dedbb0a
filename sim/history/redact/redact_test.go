package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"shelly/fsm/reading"
)

// replaced learns a text and replaces in it.
func replaced(text string, known ...Secret) (string, *Redactor) {
	r := New(known...)
	r.Learn(text)
	return r.Replace(text), r
}

// fake makes a credential of no use, which no scanner of this repository takes for a
// real one.
func fake(prefix string, n int) string { return prefix + strings.Repeat("aB3x", n)[:n] }

func TestSCN48CredentialsOfAKnownShapeAreReplaced(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIB\nAA==\n-----END RSA PRIVATE " + "KEY-----"
	for _, tt := range []struct{ kind, before, secret, after string }{
		{"private key", "key:\n", key, "\nend"},
		{"AWS access key", "id ", "AKIA" + "ABCDEFGHIJKLMNOP", "."},
		{"GitHub token", "use ", fake("ghp_", 36), " now"},
		{"GitHub token", "(", fake("github_pat_", 40), ")"},
		{"GitLab token", "", fake("glpat-", 20), ""},
		{"Slack token", "x ", fake("xoxb-", 24), " y"},
		{"Slack webhook", "https://hooks.slack.com/services/", fake("T0/B0/", 24), " y"},
		{"Google API key", "k=", fake("AIza", 35), ""},
		{"sk- key", "export K=", fake("sk-ant-", 40), ""},
		{"sk- key", "", fake("sk_live_", 24), "\n"},
		{"Hugging Face token", "", fake("hf_", 34), "\n"},
		{"npm token", "", fake("npm_", 36), "\n"},
		{"JSON Web Token", "jwt ", fake("eyJ", 20) + "." + fake("eyJ", 20) + "." + fake("", 20), ""},
		{"bearer header", "Authorization: Bearer ", fake("", 20), "\r\n"},
		{"basic header", "authorization: Basic ", fake("", 20) + "==", "\r\n"},
		{"password in a URL", "postgres://joe:", "hunter2", "@db/x"},
		{"assignment", "password=", "hunter2", "\nnext"},
		{"assignment", "API_KEY: '", "a-B-c-1", "'"},
		{"assignment", `{"client_secret": "`, "s3cr3t/==", `"}`},
		{"assignment", `{\"token\":\"`, "deadbeef01", `\"}`},
		{"assignment", "DB_PASSWORD=", "12345678", ""},
	} {
		text := tt.before + tt.secret + tt.after
		got, r := replaced(text)
		if strings.Contains(got, tt.secret) || !strings.HasPrefix(got, tt.before) || !strings.HasSuffix(got, tt.after) || len(got) != len(text) {
			t.Errorf("%s: %q became %q", tt.kind, text, got)
		}
		if counts := r.Counts(); len(counts) != 1 || counts[0].Kind != tt.kind || counts[0].Times != 1 {
			t.Errorf("%q is counted as %v; want one %s", text, counts, tt.kind)
		}
		if kind, found := r.Find(got); found {
			t.Errorf("%q: %s is still found", got, kind)
		}
		if again, _ := replaced(got); again != got {
			t.Errorf("%q is replaced again: %q", got, again)
		}
	}
}

func TestSCN48WhatIsNotASecretStays(t *testing.T) {
	for _, text := range []string{
		"", "How full is the disk?", "password", "the password is unknown", "max_tokens: 1024", `{"token": 1024}`,
		"token=$GITHUB_TOKEN", "PASSWORD=${DB_PASSWORD}", "http://localhost:8080/a@b", "a risk-free task-list", "Bearer of news",
		"secret-ary", "/dev/vda1  50G  46G  4G  92% /", "commit 3f786850e387550fdab836ed7e6dc881de23001b",
	} {
		if got, r := replaced(text); got != text || len(r.Counts()) > 0 {
			t.Errorf("%q became %q, counted %v", text, got, r.Counts())
		}
	}
}

// encodings are the ways in which programs write a secret.
func encodings(s string) map[string]string {
	inJSON, _ := json.Marshal(s)
	twice, _ := json.Marshal(string(inJSON))
	return map[string]string{
		"as it is":             s,
		"hex":                  hex.EncodeToString([]byte(s)),
		"HEX":                  strings.ToUpper(hex.EncodeToString([]byte(s))),
		"query":                url.QueryEscape(s),
		"path":                 url.PathEscape(s),
		"JSON":                 string(inJSON),
		"JSON in JSON":         string(twice),
		"quoted":               strconv.Quote(s),
		"base64":               base64.StdEncoding.EncodeToString([]byte(s)),
		"base64, for URLs":     base64.URLEncoding.EncodeToString([]byte(s)),
		"base64, one before":   base64.StdEncoding.EncodeToString([]byte("u" + s)),
		"base64, two before":   base64.StdEncoding.EncodeToString([]byte("u:" + s + ":z")),
		"base64, three before": base64.StdEncoding.EncodeToString([]byte("joe" + s + "zz")),
	}
}

func TestSCN48EveryFormOfAKnownSecret(t *testing.T) {
	for _, secret := range []string{"correct horse", `a"b\c<d>&e/f`, "p4ss+word/with=signs", "zwölf Äpfel\nund mehr"} {
		for name, text := range encodings(secret) {
			got, r := replaced("<"+text+">", Secret{"given", secret})
			if got == "<"+text+">" || len(got) != len(text)+2 {
				t.Errorf("%s of %q: %q became %q", name, secret, text, got)
			}
			if kind, found := r.Known(got); found {
				t.Errorf("%s of %q: %s is still in %q", name, secret, kind, got)
			}
		}
	}
}

// writings are the ways in which other programs write a secret, and Base64 and dumps of a text
// that has it, in lines.
func writings(s string) map[string]string {
	var ascii, utf16s, slashed, percent strings.Builder
	for _, r := range s {
		switch {
		case r >= 0x80 || r == '"' || r == '\\' || r < ' ':
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&ascii, "\\u%04x", u)
				fmt.Fprintf(&utf16s, "\\u%04X", u)
			}
		case strings.ContainsRune("/<>&+'", r):
			fmt.Fprintf(&utf16s, "\\u%04X", r)
			ascii.WriteRune(r)
		default:
			ascii.WriteRune(r)
			utf16s.WriteRune(r)
		}
	}
	slashed.WriteString(strings.ReplaceAll(ascii.String(), "/", `\/`))
	for i := range len(s) {
		if strings.IndexByte("/!'()*", s[i]) >= 0 || s[i] >= 'a' && s[i] <= 'z' {
			percent.WriteByte(s[i])
		} else {
			fmt.Fprintf(&percent, "%%%02X", s[i])
		}
	}
	all := map[string]string{
		"JSON in ASCII":               ascii.String(),
		"JSON in ASCII, twice":        strings.ReplaceAll(ascii.String(), `\`, `\\`),
		"JSON in ASCII, four times":   strings.ReplaceAll(ascii.String(), `\`, strings.Repeat(`\`, 8)),
		"JSON with slashes escaped":   slashed.String(),
		"JSON with most escaped":      utf16s.String(),
		"a path with slashes":         percent.String(),
		"HTML":                        html.EscapeString(s),
		"HTML in JSON":                strings.ReplaceAll(html.EscapeString(s), "&", `\u0026`),
		"XML":                         strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&#x3e;", `"`, "&quot;").Replace(s),
		"base64 with slashes escaped": strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(s)), "/", `\/`),
	}
	for name, text := range map[string]string{ // order-free: each for itself
		"base64": base64.StdEncoding.EncodeToString([]byte("a line" + s + "and more")), "dump": hex.EncodeToString([]byte("a line" + s + "and more")),
	} {
		lines := strings.Join(slices.Collect(chunks(text, 7)), "\n")
		all[name+" in lines"], all[name+" in lines of Windows"] = lines, strings.ReplaceAll(lines, "\n", "\r\n")
		all[name+" in lines, in JSON"] = strings.ReplaceAll(lines, "\n", `\n`)
	}
	return all
}

func chunks(text string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > n && yield(text[:n]) {
			text = text[n:]
		}
		yield(text)
	}
}

// A known secret is found however a program has escaped it, and across lines (SCN-48).
func TestSCN48EveryWritingOfAKnownSecret(t *testing.T) {
	for _, secret := range []string{"correct horse/battery", `a"b\c<d>&e/f`, "p4ss+word/with=signs", "zwölf/Äpfel\nund mehr 🙂!"} {
		for name, text := range writings(secret) { // order-free: each for itself
			r := New(Secret{"given", secret})
			if _, found := r.Known(text); !found {
				t.Errorf("%s of %q: %q is taken for no secret", name, secret, text)
			}
			got := r.Replace("<" + text + ">")
			if len(got) != len(text)+2 || got[0] != '<' || got[len(got)-1] != '>' {
				t.Errorf("%s of %q: %q became %q", name, secret, text, got)
			}
			if kind, found := r.Known(got); found {
				t.Errorf("%s of %q: %s is still in %q", name, secret, kind, got)
			}
			if counts := r.Counts(); len(counts) != 1 || counts[0].Times != 1 {
				t.Errorf("%s of %q: counted %v; want one", name, secret, counts)
			}
		}
	}
}

// What a cut has left of an escaped secret is found too, and the rest of an escape with it.
func TestSCN48WhatACutLeavesOfAnEscapedSecretIsReplaced(t *testing.T) {
	const written = `zw\u00f6lf\/\u00c4pfel`
	for i := 3; i < len(written); i++ {
		r := New(Secret{"given", "zwölf/Äpfel"})
		if got := r.ReplaceCut(`{"a":"`+written[:i], false, true); len(got) != 6+i || strings.Contains(got, "zw") {
			t.Errorf("%q became %q", written[:i], got)
		}
	}
	for _, i := range []int{1, 2, 8, 11, 13, 19, 20} { // no escape is cut
		r := New(Secret{"given", "zwölf/Äpfel"})
		if got := r.ReplaceCut(written[i:]+`"}`, true, false); len(got) != len(written)-i+2 || strings.Contains(got, "fel") {
			t.Errorf("%q became %q", written[i:], got)
		}
	}
}

// A credential that is escaped is learnt as it is.
func TestSCN48AnEscapedCredentialIsLearnt(t *testing.T) {
	got, r := replaced(`{"password":"hunt\/er\u00e4zz"} hunt/eräzz`)
	if strings.Contains(got, "er") || strings.Contains(got, "zz") {
		t.Errorf("got %q", got)
	}
	if kind, found := r.Find(got); found {
		t.Errorf("%q: %s is still found", got, kind)
	}
}

// A credential that is too short to be looked for elsewhere is replaced where an escape is in it, or in
// what labels it.
func TestSCN48AnEscapedPasswordIsReplacedInPlace(t *testing.T) {
	for text, want := range map[string]string{ // order-free: each for itself
		`{"password":"hunt\/er"}`:            `{"password":"[sxxxxx]"}`,
		`{"password":"p\u00e4ss1"}`:          `{"password":"[sxxxxxxx]"}`,
		`{\"password\":\"p\\u00e4ss1\"}`:     `{\"password\":\"[sxxxxxxxx]\"}`,
		`%22password%22%3A%22hunter2%22 b=c`: `%22password%22%3A%22[sxxxx]%22 b=c`,
		`http:\/\/joe:hunter2@db`:            `http:\/\/joe:[sxxxx]@db`,
		`{"a":"x\ny","token": 1024}`:         `{"a":"x\ny","token": 1024}`,
	} {
		if _, found := New().Find(text); found != (text != want) {
			t.Errorf("%q: found is %v", text, found)
		}
		got, r := replaced(text)
		if kind, found := r.Find(got); got != want || found {
			t.Errorf("%q became %q, with %q found; want %q", text, got, kind, want)
		}
	}
}

// Where lines are joined, two halves of words make what is short: no secret (SCN-48).
func TestSCN48TwoLinesMakeNoShortSecret(t *testing.T) {
	const text = "too late\nstart again, late\\nstart"
	got, r := replaced(text, Secret{"given", "test"}, Secret{"given", "a longer secret"})
	if _, found := r.Known(text); got != text || found {
		t.Errorf("%q became %q, found %v", text, got, found)
	}
}

// What people set where no key is asked, such as xxxxxxxx, is in placeholders and no secret (SCN-48).
func TestSCN48WhatAPlaceholderHasIsNoSecret(t *testing.T) {
	got, r := replaced("a-rather-long-secret, password=hunter2hunter2, xxxxxxxx", Secret{"given", "a-rather-long-secret"}, Secret{"a key", "xxxxxxxx"})
	if kind, found := r.Find(got); found || got != "[secret-1xxxxxxxxxx], password=[secret-2xxxx], xxxxxxxx" {
		t.Errorf("%q: found %s", got, kind)
	}
}

// A placeholder has no secret in it, such as the word secret (SCN-48).
func TestSCN48APlaceholderHasNoSecret(t *testing.T) {
	got, r := replaced("a secret, a-rather-long-one, 612d7261746865722d6c\n6f6e672d6f6e65", Secret{"given", "secret"}, Secret{"given", "a-rather-long-one"})
	if kind, found := r.Known(got); found || got != "a [s1xx], [xxxxxxxxxxxxxxx], ["+strings.Repeat("x", 33)+"]" {
		t.Errorf("%q: found %s", got, kind)
	}
}

// A placeholder joins no words beside it (SCN-48).
func TestSCN48APlaceholderStandsApart(t *testing.T) {
	for _, n := range []int{1, 12, 123456} {
		for bytes := 2; bytes < 20; bytes++ {
			if p := placeholder(n, bytes); len(p) != bytes || p[0] != '[' || p[bytes-1] != ']' || !isPlaceholder(p) || !isPlaceholder(p[:bytes-1]) {
				t.Errorf("%d of %d bytes: %q", n, bytes, p)
			}
		}
	}
	for _, text := range []string{"[123]", "[1", "[abc]", "[section]", "secret"} {
		if isPlaceholder(text) {
			t.Errorf("%q is taken for a placeholder", text)
		}
	}
}

// A placeholder ends no sentence: after one that does, the machine reads a need (HND-60).
func TestSCN48APlaceholderEndsNoSentence(t *testing.T) {
	for n := range 40 {
		if before, need, ok := reading.NeedIn("first " + placeholder(1, n+1) + " NEED: no"); ok {
			t.Errorf("%d bytes: %q, %q", n+1, before, need)
		}
	}
}

func TestSCN48ASecretHasOnePlaceholder(t *testing.T) {
	r := New(Secret{"a", "first-secret"}, Secret{"b", "other-secret"}, Secret{"short", "abc"})
	if got := r.Replace("first-secret, other-secret, first-secret, abc"); got != "[secret-1xx], [secret-2xx], [secret-1xx], abc" {
		t.Errorf("got %q; want %q", got, "[secret-1xx], [secret-2xx], [secret-1xx], abc")
	}
	if got := r.Counts(); len(got) != 2 || got[0] != (Count{"a", 2}) || got[1] != (Count{"b", 1}) {
		t.Errorf("counted %v", got)
	}
	if len(placeholder(123, 5)) != 5 || placeholder(7, 4) != "[s7]" || placeholder(7, 8) != "[s7xxxx]" {
		t.Errorf("got %q, %q, %q; want 5 bytes, %q, %q", placeholder(123, 5), placeholder(7, 4), placeholder(7, 8), "[s7]", "[s7xxxx]")
	}
}

func TestSCN48NamesOfSecrets(t *testing.T) {
	for name, want := range map[string]bool{
		"GITHUB_TOKEN": true, "aws_secret_access_key": true, "DB_PASSWORD": true, "OPENAI_API_KEY": true, "brain.apikey": true,
		"MY_PAT": true, "pat": true, "Cookie": true, "private-KEY": false, "PRIVATEKEY": true, "tokens_of_token": true, "TOKENſ": false,
		"num_tokens": false, "PATTERN": false, "PATH": false, "HOME": false, "EDITOR": false, "brain.url": false,
	} {
		if NamesSecret(name) != want {
			t.Errorf("%s: %v; want %v", name, !want, want)
		}
	}
}

// Whatever stands around a secret, none of its forms survives, and the text keeps its
// length (SCN-48).
func FuzzSCN48NoSecretSurvives(f *testing.F) {
	f.Add("correct horse", "a", "b")
	f.Add(`x"\y zzzzz`, "password=", "\n")
	f.Add("[secret-1]", "....", "[s1]")
	f.Add("========", "=", "")
	f.Add("12345678", `{"token":`, "}")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		r := New(Secret{"given", secret})
		for name, form := range encodings(secret) {
			text := before + form + after
			r.Learn(text)
			got := r.Replace(text)
			if len(got) != len(text) {
				t.Fatalf("%s: %d bytes became %d", name, len(text), len(got))
			}
			if kind, found := r.Known(got); found && !TooShort(secret) && !isPlaceholder(strings.TrimSpace(secret)) {
				t.Fatalf("%s of %q: %s is in %q", name, secret, kind, got)
			}
		}
	})
}

// What looks like an escape and is none costs no memory (SCN-48): a text may be megabytes of it.
func TestSCN48WhatIsNoEscapeCostsNoMemory(t *testing.T) {
	for _, no := range []string{"%", "%zz", `\u`, `\xg0`, "&"} {
		text := strings.Repeat(no, 10_000)
		if got := testing.AllocsPerRun(1, func() {
			for range views(text, false) {
				continue
			}
		}); got > 100 {
			t.Errorf("%q: %v allocations", no, got)
		}
	}
}

// What a cut leaves of an escape is no part of a text that keeps the rest of a secret.
func TestSCN48ACutWithinAnEscapeKeepsNothing(t *testing.T) {
	const secret = `openit"sesame&ü!closed`
	quoted := strconv.QuoteToASCII(secret)
	quoted = quoted[1 : len(quoted)-1]
	twice := strconv.QuoteToASCII(quoted)
	for name, written := range map[string]string{ // order-free: each is cut by itself
		"JSON":            quoted,
		"JSON twice":      twice[1 : len(twice)-1],
		"HTML":            html.EscapeString(secret),
		"HTML twice":      html.EscapeString(html.EscapeString(secret)),
		"HTML in JSON":    `openit\u0026#34;sesame\u0026amp;\u00fc!closed`,
		"HTML of letters": `open&#105;t&quot;s&#x65;same&amp;&uuml;&#33;closed`,
		"URL":             url.QueryEscape(secret),
		"URL twice":       url.QueryEscape(url.QueryEscape(secret)),
		"hexadecimal":     `openit\x22sesame\x26\xc3\xbc\x21closed`,
	} {
		for cut := range len(written) {
			r := New(Secret{"s", secret})
			for _, got := range []string{r.ReplaceCut("before: "+written[:cut], false, true), r.ReplaceCut(written[cut:]+" after", true, false)} {
				for _, part := range []string{"open", "sesa", "same", "clos", "osed"} {
					if strings.Contains(got, part) {
						t.Errorf("%s, cut after %d of %q: %q is left in %q", name, cut, written, part, got)
					}
				}
			}
			if n := r.Counts(); len(n) > 1 || len(n) == 1 && n[0].Times > 2 {
				t.Errorf("%s, cut after %d: counted %v", name, cut, n)
			}
		}
	}
	for _, text := range []string{"22sam name", "quot;a word", "#34;", "&", "a &qu"} {
		if got := New(Secret{"s", secret}).ReplaceCut(text, true, true); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A value that is called a password and has a known secret in it is counted once, as that secret (SCN-48).
func TestSCN48AValueThatHasAKnownSecretIsCountedOnce(t *testing.T) {
	for text, want := range map[string]string{ // order-free: each for itself
		"password: xabcdx":              "[{given 1}]",
		`{\"password\":\"xabcdx\"}`:     "[{given 1}]",
		`pass\u0077ord: xabcdx`:         "[{given 1}]",
		`{"password":"xa\u0062cdx"}`:    "[{given 1}]",
		"password: abcd-word-abcd":      "[{given 2}]",
		"password: word-abcd":           "[{given 1}]",
		"password: abcdef, password: x": "[{given 1}]",
		"abcd, password: hunter2":       "[{given 1} {assignment 1}]",
		"abcd, password: hun[x]r":       "[{given 1}]", // as if it had one
		"abcd, password: hun[t]r":       "[{given 1} {assignment 1}]",
		"password: hun[xx]r":            "[{assignment 1}]",
		"password: hunter2":             "[{assignment 1}]",
	} {
		got, r := replaced(text, Secret{"given", "abcd"})
		if kind, found := r.Find(got); fmt.Sprint(r.Counts()) != want || found {
			t.Errorf("%q became %q, counted as %v, with %q found; want %s", text, got, r.Counts(), kind, want)
		}
	}
}

// DEP-7: whoever sets the secrets of a bundle again has to find where they were.
func TestDEP7LinesWithAPlaceholderAreFound(t *testing.T) {
	for n := 8; n < 30; n++ {
		secret := strings.Repeat("k", n)
		got, _ := replaced("a: [s1, secret-2]\nkey: "+secret+"\n\nb: [x]\nlast: Bearer "+secret, Secret{Kind: "key", Text: secret})
		if lines := LinesLeft(got); !slices.Equal(lines, []int{2, 5}) {
			t.Errorf("%s\nis said to have placeholders in %v", got, lines)
		}
	}
}
