package mend_test

import (
	"encoding/json"
	"testing"

	"shelly/fsm/textcall/mend"
)

func TestINF25SmallMistakes(t *testing.T) {
	for _, text := range []string{
		`{"a":NaN}`, `{"a":undefined}`, `{"a":'x}`, `{'a':'it's','b':'c'}`, `{"a":1,,"b":2}`, `{,}`, `{"a" 1}`, `{"a":1`, `{"a":[1}`, `}`, `]]`, ``, `none`,
		`{"a":"\d"}`, `{'a':'\x41'}`, `{'a':'\/'}`, `{"a":1}} and more`, `{"a":tru}`, `{a b:1}`, `[a:1]`, `{"a":f'x'}`, `{"a":1} []]x`, "{\"a\":\"\\\n\"}", `{"a":1;"b":2}`, `{"a":"b}`,
	} {
		if got := mend.JSON(text, mend.Escape); got != text {
			t.Errorf("%s is mended as %s", text, got)
		}
	}
	for text, want := range map[string]string{
		`{"a":1,}`: `{"a":1 }`, `{"a":'b "c" \n'}`: `{"a":"b \"c\" \n"}`, `{a1_b:1}`: `{"a1_b":1}`, `{a9:1,A0:2}`: `{"a9":1,"A0":2}`, `{_z:1,Z:2}`: `{"_z":1,"Z":2}`, `{@at:1,a.b-c/d: 2,$e:3}`: `{"@at":1,"a.b-c/d": 2,"$e":3}`, `{'a':1.5e-3}`: `{"a":1.5e-3}`, `{"a":"it\'s"}`: `{"a":"it's"}`, `{"a":"\/",}`: `{"a":"\/" }`, `{"a":1}]}`: `{"a":1}`,
		`{"a":-1.5e3,}`: `{"a":-1.5e3 }`, "{'a':'\x01\r'}": `{"a":"\u0001\r"}`, `{True: None}`: `{"True": null}`, `[True,'é']`: `[true,"é"]`,
	} {
		if got := mend.JSON(text, mend.Escape); got != want {
			t.Errorf("%s is mended as %s, not %s", text, got, want)
		}
	}
}

func TestINF25OneBracketIsMissing(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":{}`: `{"a":{}}`, `[{"a":1}`: `[{"a":1}]`, `{"a":[[`: `{"a":[[`, `{"a":{} 'x`: `{"a":{} 'x`, `{"a":1`: `{"a":1`, `{"a":1}`: `{"a":1}`,
	} {
		if got := mend.Closed(text, mend.Escape); got != want {
			t.Errorf("%s is closed as %s, not %s", text, got, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":1,}`, `{'a':'b'}`, `{a:True}}`, "{\"a\":\"\n\"}", `{"a":1};{"b":2}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := mend.JSON(text, mend.Escape)
		if got != mend.JSON(got, mend.Escape) {
			t.Errorf("%q is mended as %q, and then again", text, got)
		}
		if json.Valid([]byte(text)) && got != text {
			t.Errorf("%q needs no mending, and becomes %q", text, got)
		}
	})
}

// Code that is written as it is, but for its quotes or for nothing: the backslashes in it are its own, where it shows
// that (INF-25).
func TestINF25BackslashesAsWritten(t *testing.T) {
	for _, tt := range []struct {
		name, raw, escape, written string // raw: between double quotes; the others as Go has them; empty: not read
	}{
		{"in quotes of the text", "x = 1\nprint('a\\nb')\n", "x = 1\nprint('a\nb')\n", "x = 1\nprint('a\\nb')\n"},
		{"out of them", "x = 1\nline\\nand line\n", "x = 1\nline\nand line\n", "x = 1\nline\nand line\n"},
		{"in and out of them", "x\\n\nprint('a\\nb')\n", "x\n\nprint('a\nb')\n", "x\n\nprint('a\nb')\n"},
		{"on one line", "print('a\\nb')\\nprint('c')", "print('a\nb')\nprint('c')", "print('a\nb')\nprint('c')"},
		{"in escaped quotes", "x = 1\nprint(\\\"a\\nb\\\")\n", "x = 1\nprint(\"a\nb\")\n", "x = 1\nprint(\"a\\nb\")\n"},
		{"in three quotes", "x = '''a\\nb'''\n", "x = '''a\nb'''\n", "x = '''a\nb'''\n"},
		{"after quotes in three", "s = '''say 'a'''' + 'b\\n'\n", "s = '''say 'a'''' + 'b\n'\n", "s = '''say 'a'''' + 'b\\n'\n"},
		{"in and out of escaped quotes, beside what is no escape", "say(\\\"hi\\\") \\d \\n\\b\nend", "", ""},
		{"out of escaped quotes", "print(\\\"a\\\")\\n\nend", "print(\"a\")\n\nend", "print(\"a\")\n\nend"},
		{"escaped quotes that end on another line", "a \\\"b\nc\\n\\\" d", "a \"b\nc\n\" d", "a \"b\nc\n\" d"},
		{"what is no escape, beside escaped quotes", "re.sub(\\\"\\d+\\\", x)\nend", "", "re.sub(\"\\d+\", x)\nend"},
		{"what is no escape, alone", "re.sub('\\d+', x)\nend", "", "re.sub('\\d+', x)\nend"},
		{"what is no escape, beside escaped quotes on one line", "re.sub(\\\"\\d+\\\", x)", "", ""},
		{"a slash beside escaped quotes", "say \\\"x\\\" a\\/b\nend", "say \"x\" a/b\nend", "say \"x\" a/b\nend"},
		{"an escaped backslash beside quotes in quotes", "'\\\"a\\nb\\\"' \\\\ \\d\nend", "", ""},
		{"quotes after what is no escape", "x\\d'a\\n'\nend", "", "x\\d'a\\n'\nend"},
		{"what is no escape, on one line", "re.sub('\\d+', x)", "", ""},
		{"an escaped backslash", "print(\\\"a\\\\n\\\")\nend", "print(\"a\\n\")\nend", "print(\"a\\n\")\nend"},
		{"nothing of the kind", "print(\\\"a\\\")\nend", "print(\"a\")\nend", "print(\"a\")\nend"},
	} {
		for as, want := range map[mend.Backslashes]string{mend.Escape: tt.escape, mend.AsWritten: tt.written} { // order-free: each alone
			var got struct{ A string }
			if err := json.Unmarshal([]byte(mend.JSON(`{"a":"`+tt.raw+`"}`, as)), &got); err != nil && want != "" || got.A != want {
				t.Errorf("%s, as written %v: %q, not %q; %v", tt.name, as, got.A, want, err)
			}
		}
	}
}

// In single quotes a backslash before a slash means one thing to JSON and another to Python, whatever else the text shows.
func TestINF25ASlashAfterABackslashIsUnclear(t *testing.T) {
	for text, want := range map[string]string{ // in single quotes; empty: not read
		`\d \'q\'` + "\nend":       `\d 'q'` + "\nend",
		`\/ \\ \d \'q\'` + "\nend": "",
	} {
		var got struct{ A string }
		if err := json.Unmarshal([]byte(mend.JSON(`{'a':'`+text+`'}`, mend.AsWritten)), &got); err != nil && want != "" || got.A != want {
			t.Errorf("%q is read as %q, not %q; %v", text, got.A, want, err)
		}
	}
}
