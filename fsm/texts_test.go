package fsm_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"shelly/fsm"
)

// A shortened text has the beginning and the end of the whole, says how much is missing,
// and is no longer than wanted (CTX-10).
func TestCTX10AShortenedTextHasItsBeginningAndItsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 2000, -1).Draw(t, "text") + strings.Repeat(rapid.SampledFrom([]string{"a", "水", "é "}).Draw(t, "of"), rapid.IntRange(0, 3000).Draw(t, "times"))
		tokens := rapid.IntRange(32, 600).Draw(t, "tokens")
		got := fsm.PresentWords().Shorten(text, tokens)
		switch {
		case fsm.TextTokens(text) <= tokens:
			if got != text {
				t.Fatalf("a text that fits is shortened to %q", got)
			}
			return
		case fsm.TextTokens(got) > tokens:
			t.Fatalf("%d tokens, not %d: %q", fsm.TextTokens(got), tokens, got)
		case !utf8.ValidString(got):
			t.Fatalf("a character is cut in two: %q", got)
		}
		i, j := strings.Index(got, "\n[… "), strings.LastIndex(got, " bytes are left out here …]\n")
		if i < 0 || j < i || !strings.HasPrefix(text, got[:i]) || !strings.HasSuffix(text, got[j+len(" bytes are left out here …]\n"):]) {
			t.Fatalf("got %q; want a beginning and an end of the text around what is left out", got)
		}
	})
}

// Both halves of a shortened text are as long as possible.
func TestCTX10AShortenedTextIsNoShorterThanItMustBe(t *testing.T) {
	for char, times := range map[string]int{"a": 40, "水": 10, "À": 10} { // the last byte of the last is the least beyond ASCII
		got := fsm.PresentWords().Shorten(strings.Repeat(char, 1000), 24+20)
		if want := strings.Repeat(char, times); !strings.HasPrefix(got, want+"\n") || !strings.HasSuffix(got, "\n"+want) {
			t.Errorf("got %q; want beginning with %q, ending with %q", got, want+"\n", "\n"+want)
		}
	}
}

// A message that shows a part of an error begins with a word that is no byte of it: the mark
// counts from the part on (TXT-7).
func TestTXT7AMarkCountsTheBytesOfTheResultAlone(t *testing.T) {
	w, whole := fsm.PresentWords(), strings.Repeat("0123456789", 200)
	text := w.Text(fsm.WordError, "reason", whole[100:])
	kept := fsm.KeptText{Number: 7, Bytes: len(whole), Tokens: fsm.TextTokens(whole)}
	got := w.ShortenPart(text, 200, fsm.Part{Result: 7, From: 100, To: len(whole)}, kept)
	head, mark, _ := strings.Cut(got, "\n[… bytes ")
	from, err := strconv.Atoi(mark[:strings.IndexByte(mark, ' ')])
	if err != nil || head != w.Text(fsm.WordError, "reason", whole[100:from]) {
		t.Errorf("%q is said to go on at byte %d: %v", head, from, err)
	}
}

// A session keeps 128 results however short they are, the newest (TXT-6).
func TestTXT6ASessionKeepsTheNewest(t *testing.T) {
	var s fsm.Session
	for i := range 130 {
		s.Keep(fsm.Kept{Ref: strconv.Itoa(i), Bytes: 1}, 1000)
	}
	if len(s.Texts) != 128 || s.Texts[0].Number != 3 || s.Texts[127].Number != 130 {
		t.Errorf("%d are kept, from number %d on", len(s.Texts), s.Texts[0].Number)
	}
}

// markOf returns the parts of a shortened kept text: its head, the range of bytes that it leaves
// out, and its tail.
func markOf(t *rapid.T, text string) (head string, from, to int, tail string) {
	m := regexp.MustCompile(`(?s)^(.*?)\n\[… bytes (\d+) to (\d+) of \d+, about \d+ tokens, are left out here; to read on: read_more with result 7, from (\d+) …\]\n(.*)$`).FindStringSubmatch(text)
	if m == nil || m[2] != m[4] {
		t.Fatalf("no mark, or one that continues elsewhere: %q", text)
	}
	from, _ = strconv.Atoi(m[2])
	to, _ = strconv.Atoi(m[3])
	return m[1], from, to, m[5]
}

// A long result enters with its head and its tail, together no longer than its share, and
// the bytes between are named (TXT-2, TXT-4). Shortened again later, it names more (TXT-7).
func TestTXT2AKeptResultIsItsHeadAndItsTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.StringN(0, 500, -1).Draw(t, "text") + strings.Repeat(rapid.SampledFrom([]string{"a", "水", "é "}).Draw(t, "of"), rapid.IntRange(0, 5000).Draw(t, "times"))
		share := rapid.IntRange(fsm.ShortText, 600).Draw(t, "share")
		head, kept, keeps := fsm.Keep{Tokens: share, Owner: "session s"}.Admit(whole)
		if keeps != (fsm.TextTokens(whole) > fsm.ShortText) {
			t.Fatalf("%d tokens are kept: %t", fsm.TextTokens(whole), keeps)
		}
		text := fsm.PresentWords().Result(head, kept, 7)
		if fsm.TextTokens(whole) <= share {
			if text != whole || kept.Tail != "" {
				t.Fatalf("it fits its share, but is %q", text)
			}
		} else {
			said, from, to, tail := markOf(t, text)
			if said+whole[from:to]+tail != whole || fsm.TextTokens(text) > share {
				t.Fatalf("%d tokens of %d: %q leaves out %d to %d", fsm.TextTokens(text), share, text, from, to)
			}
		}
		wanted := rapid.IntRange(64, 600).Draw(t, "wanted")
		if fsm.TextTokens(text) <= wanted {
			return
		}
		again := fsm.PresentWords().ShortenPart(text, wanted, fsm.Part{Result: 7, To: len(whole)}, fsm.KeptText{Number: 7, Bytes: len(whole), Tokens: fsm.TextTokens(whole)})
		said, from, to, _ := markOf(t, again)
		if said != whole[:from] || to != len(whole) || fsm.TextTokens(again) > wanted {
			t.Fatalf("%d tokens of %d: %q", fsm.TextTokens(again), wanted, again)
		}
	})
}

// In whatever steps a text is read on, all of it is read: each piece begins where the one before
// it ended, between characters, and has at least one character (TXT-5).
func TestTXT5EveryByteOfATextCanBeRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.StringN(1, 400, -1).Draw(t, "text")
		read := ""
		for len(read) < len(whole) {
			piece, at := fsm.Piece(whole, len(read), rapid.IntRange(0, 30).Draw(t, "tokens"))
			if piece == "" || at != len(read) || !utf8.ValidString(piece) {
				t.Fatalf("after %d bytes %q from %d", len(read), piece, at)
			}
			read += piece
		}
		if read != whole {
			t.Fatalf("%q, not %q", read, whole)
		}
		from := rapid.IntRange(-1, len(whole)+1).Draw(t, "from")
		if piece, at := fsm.Piece(whole, from, 10); !strings.HasPrefix(whole[at:], piece) || at > max(from, 0) || !utf8.ValidString(piece) {
			t.Fatalf("from %d: %q from %d", from, piece, at)
		}
	})
}

// However results are kept and joined, a session has no more of them than TXT-6 allows, no number
// twice, and always the newest.
func TestTXT6ASessionKeepsNoMoreThanItMay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 1000).Draw(t, "bytes at most")
		drawn := func(of string) fsm.Session {
			var s fsm.Session
			for i := range rapid.IntRange(0, 200).Draw(t, of) {
				s.Keep(fsm.Kept{Ref: of + strconv.Itoa(i), Bytes: rapid.IntRange(0, 2*most).Draw(t, "bytes")}, 2*most)
			}
			return s
		}
		own, now := drawn("own"), drawn("others")
		numbers := max(own.LastText, now.LastText)
		own.JoinTexts(now, most)
		bytes, seen := 0, map[int]bool{}
		for _, k := range own.Texts {
			if bytes += k.Bytes; seen[k.Number] {
				t.Fatalf("number %d is there twice", k.Number)
			}
			seen[k.Number] = true
		}
		if len(own.Texts) > 128 || bytes > most {
			t.Fatalf("%d results of %d bytes are kept of %d: %+v", len(own.Texts), bytes, most, own.Texts)
		}
		got := own.Keep(fsm.Kept{Ref: "new", Bytes: most}, most)
		if got != numbers+1 || len(own.Texts) == 0 || own.Texts[len(own.Texts)-1].Number != got {
			t.Fatalf("after %d the next is %d: %+v", numbers, got, own.Texts)
		}
	})
}

// A result with just as many tokens as may enter whole enters whole, and is not kept
// (TXT-1).
func TestTXT1WhatJustFitsIsNotKept(t *testing.T) {
	text := strings.Repeat("word ", 20)
	just := fsm.TextTokens(text)
	if got, kept, is := (fsm.Keep{Tokens: just}).Admit(text); is || got != text || just >= fsm.ShortText {
		t.Errorf("of %d tokens %+v is kept", just, kept)
	}
	if _, _, is := (fsm.Keep{Tokens: just - 1}).Admit(text); !is {
		t.Error("a text with one token too many is not kept")
	}
}

// A text of just the tokens that it may have is whole: shortened (CTX-10), shown in part (TXT-7) or
// kept (TXT-2).
func TestCTX10WhatJustFitsIsWhole(t *testing.T) {
	text := strings.Repeat("word ", 2000)
	tokens := fsm.TextTokens(text)
	w, kept := fsm.PresentWords(), fsm.KeptText{Number: 1, Ref: "ab", Bytes: len(text), Tokens: tokens}
	part := fsm.Part{Result: 1, From: 0, To: len(text)}
	for over, whole := range map[int]bool{0: true, 1: false} {
		if got := w.Shorten(text, tokens-over); (got == text) != whole {
			t.Errorf("%d tokens over, it is shortened to %d bytes", over, len(got))
		}
		if got := w.ShortenPart(text, tokens-over, part, kept); (got == text) != whole {
			t.Errorf("%d tokens over, a part is shortened to %d bytes", over, len(got))
		}
		if got, k, ok := (fsm.Keep{Tokens: tokens - over}).Admit(text); !ok || (got == text) != whole || (k.Tail == "") != whole {
			t.Errorf("%d tokens over, %d bytes enter and a tail of %d", over, len(got), len(k.Tail))
		}
	}
	short := w.Shorten(text, 200)
	head, tail, _ := strings.Cut(short, "bytes are left out here")
	n, err := strconv.Atoi(regexp.MustCompile(`[0-9]+`).FindString(head))
	said := strings.Count(short, "word ") * len("word ")
	if err != nil || n < len(text)-said-10 || n > len(text)-said+10 || tail == "" {
		t.Errorf("of %d bytes %d are said to be left out: %q", len(text), n, short)
	}
}

// TXT-5: what begins within a character is read from there at least.
func TestTXT5APieceOfWhatIsNotText(t *testing.T) {
	if piece, at := fsm.Piece("\x80abc", 0, 5); piece != "\x80abc" || at != 0 {
		t.Errorf("%q at %d", piece, at)
	}
}
