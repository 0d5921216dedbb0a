// Package text takes long texts out of bodies, so that a text that stands in several of them is kept
// once. A body without its texts is a form: the rest of the body, with a reference for each text.
//
//	form, texts := known.Take(body, text.InStrings) // texts: what the form refers to
//	refs, err := text.Refs(form)
//	body, err := text.Fill(nil, form, find)
//
// What is short in strings of JSON is compressed where there is much of it (kind 3). A large body is
// built in parts, and always compressed:
//
//	p := known.Pack()
//	p.Add(part) // …
//	form, texts := p.Form()
//
// # Form
//
// A body that no text was taken out of is its own form, unless it begins with the mark:
//
//	mark(1)  length of the body(uvarint)  pieces
//
// A piece begins with a uvarint: its lowest two bits are the kind, the others the length n in bytes:
//
//	0  n bytes of the body
//	1  a text of n bytes, as it is
//	2  a text of n bytes, quoted as in a JSON string
//	3  n bytes in which further pieces of kinds 0 to 2 are compressed, in the block format of S2
//
// Kinds 1 and 2 are followed by the text's number (uvarint) and the first 8 bytes of its SHA-256,
// so that a wrong text is recognised.
//
// # Finding texts
//
// A Known knows the last few thousand texts that were written or read. It finds a text only as a
// whole, but anywhere within a longer one: a record holds the beginning and the end of a result
// separately, and both are found again in the whole result, and in the message that shows them
// with a mark between them.
package text
