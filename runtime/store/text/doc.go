// Package text takes long texts out of bodies, so that a text that stands in several of
// them is kept once. A body whose texts were taken out is a form: what is left of it, with
// a reference for each text.
//
//	form, texts := known.Take(body, text.InStrings) // texts: what the form refers to
//	refs, err := text.Refs(form)
//	body, err := text.Fill(nil, form, find)
//
// # Form
//
// A body that no text was taken out of is its own form, unless it begins with the mark:
//
//	mark(1)  length of the body(uvarint)  pieces
//
// A piece begins with a uvarint, whose lowest two bits are its kind and whose others are
// its length n in bytes:
//
//	0  n bytes of the body
//	1  a text of n bytes, as it is
//	2  a text of n bytes, as it stands in a string of JSON
//
// After the kinds 1 and 2 stand the text's number (uvarint) and the first 8 bytes of its
// SHA-256: a text that is not the one that was meant is recognised.
//
// # Finding texts
//
// Which texts there are is known of the last few thousand that were written or read. A text is
// found as a whole, wherever it stands in a longer one: the beginning and the end of a
// result, which a record has apart, are found again in the whole result, and in the message
// that shows both with a mark between them.
package text
