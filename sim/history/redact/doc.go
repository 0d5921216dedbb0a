// Package redact replaces secrets in texts by placeholders (SCN-48).
//
//	r := redact.New(redact.Secret{"the daemon's token", token}, redact.Secret{"GITHUB_TOKEN", value})
//	for _, text := range texts {
//		r.Learn(text) // credentials that are known by their shape
//	}
//	for i := range texts {
//		texts[i] = r.Replace(texts[i])
//	}
//	if kind, found := r.Known(file); found {
//		return fmt.Errorf("a secret is still there: %s", kind)
//	}
//
// A secret is replaced in each of its forms: as it is, and as JSON, HTML, Base64, hexadecimal
// digits and URLs write it. Programs differ in what they escape and in where they break lines,
// so a text is also read without its escapes and line breaks. A placeholder has as many bytes as
// what it stands for and is ASCII, so that no budget of bytes or tokens decides differently; it is
// the same for the same secret, and in no way derived from it.
package redact
