package mend_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm/textcall"
	"shelly/fsm/textcall/mend"
)

// requoted mends an object that has required among its keys, where known are known, too.
func requoted(text, required string, known ...string) string {
	is := func(key string) bool { return key == required || slices.Contains(known, key) }
	got, ok := mend.Quotes(text, is, func(way mend.Outcome) (fit mend.Fit, ok bool) {
		s := way.Text
		var object map[string]any
		if json.Unmarshal([]byte(mend.JSON(s, mend.Escape)), &object) != nil || object[required] == nil {
			return mend.Fit{}, false
		}
		for key := range object { // order-free: each is counted
			if is(key) {
				fit.Known++
			} else {
				fit.Unknown++
			}
		}
		_, twice := textcall.Twice(mend.JSON(s, mend.Escape))
		return fit, !twice
	})
	if !ok {
		return ""
	}
	return mend.JSON(got, mend.Escape)
}

func TestINF25TextsWithTheirOwnQuotes(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"print("hi")"}`:                            `{"a":"print(\"hi\")"}`,
		`{"a":"print("a", "b")","c":1}`:                  `{"a":"print(\"a\", \"b\")","c":1}`,
		`{"a":"<p class="x">y</p>\n"}`:                   `{"a":"<p class=\"x\">y</p>\n"}`,
		`{"a":"{"k": "v"}","b":2}`:                       `{"a":"{\"k\": \"v\"}","b":2}`,
		`{"a":""x""}`:                                    `{"a":"\"x\""}`,
		`{"a":["x "y"", "z"]}`:                           `{"a":["x \"y\"", "z"]}`,
		`{'a':'it's','b':'c'}`:                           `{"a":"it's","b":"c"}`,
		`{"a":"say "x" and \"y\"",}`:                     `{"a":"say \"x\" and \"y\"" }`,
		`{a:"x "y" z", b: True}}`:                        `{"a":"x \"y\" z", "b": true}`,
		"{\"a\":\"\"\"print(\"hi\")\nprint('ho')\"\"\"}": `{"a":"print(\"hi\")\nprint('ho')"}`,
		`{"a":'''it's''', "b":1}`:                        `{"a":"it's", "b":1}`,
		"{\"a\":`x\ny`}":                                 `{"a":"x\ny"}`,
		"{\"a\": 1, // the first\n\"b\": 2}":             "{\"a\": 1, \n\"b\": 2}",
		`{"a": /* one */ 1}`:                             `{"a":  1}`,
		`{"a":"x" /* "y" */}`:                            `{"a":"x" }`,
		`{"a":"\d+\.\w"}`:                                `{"a":"\\d+\\.\\w"}`,
		`{"a":"C:\Users\Public"}`:                        `{"a":"C:\\Users\\Public"}`,
		`{"a":"re.match("\d", x)\nprint(x)"}`:            `{"a":"re.match(\"\\d\", x)\nprint(x)"}`,
		`{"a":"\u00e9 "x""}`:                             `{"a":"\u00e9 \"x\""}`,
		`{"a":"\uses"}`:                                  `{"a":"\\uses"}`,
		`{'a':'\x41'}`:                                   `{"a":"\\x41"}`,
		`{"a":"x "y"","b":{"c":["d "e" f"]}}`:            `{"a":"x \"y\"","b":{"c":["d \"e\" f"]}}`,
		`{"a":"` + "`x`" + ` "y""}`:                      "{\"a\":\"`x` \\\"y\\\"\"}",
		"{\"a\":\"print(\"x\\n\")\ny\"}":                 `{"a":"print(\"x\\n\")\ny"}`,
		"{\"a\":\"r'\\d\\\\' + \"\\t\"\n\"}":             `{"a":"r'\\d\\\\' + \"\\t\"\n"}`,
		`{"a":"x"//y "z" w"}`:                            `{"a":"x\"//y \"z\" w"}`,
		`{"a":"x " y","b":"z ("}`:                        `{"a":"x \" y","b":"z ("}`,
		"{\"a\":\"x \\\n  \"y\"\"}":                      `{"a":"x \\\n  \"y\""}`,
		"{\"a\":\"\"x\"\n\\\\d\"}":                       `{"a":"\"x\"\n\\d"}`,
		`{"a":"if x:\n\t"y" \d"}`:                        `{"a":"if x:\n\t\"y\" \\d"}`,
		`{"a":"x """it's"""\n"x"\n"}`:                    `{"a":"x \"\"\"it's\"\"\"\n\"x\"\n"}`,
		`{"a":"\` + "`" + `x\` + "`" + ` \'y\' "z""}`:    "{\"a\":\"`x` 'y' \\\"z\\\"\"}",
	} {
		if got := requoted(text, "a", "b", "c"); got != want {
			t.Errorf("%s\nis mended as %s\nnot          %s", text, got, want)
		}
	}
}

// What a backslash means is told from what else is in the text: line ends, quotes, apostrophes, paths.
func TestINF25WhatBackslashesMean(t *testing.T) {
	for text, want := range map[string]string{ // empty: it is not clear
		`{"a":"print("a \" b")"}`:            "",
		"{\"a\":\"x \"y\"\nz \\n \\b\"}":     "",
		`{"a":"\d \" \\ "x""}`:               "",
		`{"a":"\d \b \" "x""}`:               "",
		`{"a":"it's so\nand "x""}`:           `{"a":"it's so\nand \"x\""}`,
		`{"a":"the author's\nname "x""}`:     `{"a":"the author's\nname \"x\""}`,
		`{"a":"f(r'a\n') "x""}`:              "",
		`{"a":"print:\n \d "x""}`:            `{"a":"print:\n \\d \"x\""}`,
		`{"a":"C:\new \d "x""}`:              "",
		`{"a":"at C:\new \d "x""}`:           "",
		`{"a":"C:\- \n \d "x""}`:             `{"a":"C:\\- \n \\d \"x\""}`,
		`{"a":"print:\nx \d "y""}`:           `{"a":"print:\nx \\d \"y\""}`,
		`{"a":"at 1:\nx \d "y""}`:            `{"a":"at 1:\nx \\d \"y\""}`,
		"{\"a\":\"x\\n \\\n \"y\"\"}":        "",
		`{"a":"\d "x" C:\n"}`:                `{"a":"\\d \"x\" C:\n"}`,
		`{"a":":\n \d "x""}`:                 `{"a":":\n \\d \"x\""}`,
		"{\"a\":\"x \\n \\b \\d \"y\"\n\"}":  "",
		"{\"a\":\"x \\n \\\" \\d \"y\"\n\"}": "",
		`{"a":"x "y"", "b": 0}`:              `{"a":"x \"y\"", "b": 0}`,
	} {
		if got := requoted(text, "a", "b", "c"); got != want {
			t.Errorf("%s\nis mended as %s\nnot          %s", text, got, want)
		}
	}
}

func TestINF25WhatMayMeanTwoThings(t *testing.T) {
	for _, text := range []string{
		`{"a":"x", "b": "y", "c": "z"", "d": 1}{`, `{"a":"echo "x", "b": "y""}`, `{"a":"x = {"b": "c", "d": "e"}", "f": "w"}`,
		`{"a":"x\ny\d"}`, `{"a":"\b\d"}`, `{"a":"C:\new dir\data"}`, `{"a":"x \/ \d \f"}`, `{'a':'it's \/'}`, `{"a":"print("x\n")"}`, `{"a":"say "x \"y\""}`, "{\"a\":\"\"x\"\n\\n\"}", "{\"a\":\"\\d \"x\"\n\\n\"}", `{"a":"\d \\ "x""}`, `{"a":"\d \" "x""}`, `{"a":"x y","b":"\d\n"}`, `{"a":"\u00e9\d"}`,
		`{"a":"x "y"`, `{"a":"x "y"]}`, `{"a" "b"}`, `{"a":1 "b":"x "y""}`, `{"a":f"x "y""}`, `{"x "y"":1}`, `{"a":"\"}`, `"x "y""`, `{"a":"x"y}`, `{"a":'''x'}`, `{"a":1 /* }`, `{"a":1 /*/}`, `{"a":1 / 2}`, `{"a":"x "y"", // }`,
		`("a")`, `{"a":("x "y"")}`, `{"a":"x"} 5 "y" z"}`, `{"a":"x"%`, `{"a":["x"], "`,
		`{"a":["x " y","z " (w"]}`, `{"a":["x(" /* "" */ , "z"]}`,
	} {
		if got := requoted(text, "a", "b", "c"); got != "" {
			t.Errorf("%s is mended as %s", text, got)
		}
	}
}

// A text that is written without escaping its quotes is read as what was meant, or not at all, unless it holds
// what begins a known argument.
func TestINF25TextsAreMendedAsTheyWereMeant(t *testing.T) {
	texts := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{`"`, `"`, `'`, ` `, `, `, `,`, `:`, `{`, `}`, `[`, `]`, `a`, `"b": `, `"c":"`, "\n", `x`, `)`, `"}`, `//`, `/*`, `*/`})
		text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "") }).
			Filter(func(s string) bool { return !strings.HasPrefix(s, `""`) || !strings.HasSuffix(s, `""`) }) // three quotes enclose a text
		meant, written := "{", "{"
		for i, value := range rapid.SliceOfN(text, 1, 3).Draw(t, "texts") {
			key := `"` + string(rune('p'+i)) + `":`
			if i > 0 {
				key = "," + key
			}
			data, _ := json.Marshal(value)
			meant += key + string(data)
			written += key + `"` + value + `"`
		}
		meant, written = meant+"}", written+"}"
		got := requoted(written, "p", "q", "r")
		if got == "" || json.Valid([]byte(written)) {
			return
		}
		texts++
		var is, want map[string]string
		if json.Unmarshal([]byte(got), &is) != nil || json.Unmarshal([]byte(meant), &want) != nil || len(is) != len(want) {
			t.Fatalf("%s\nis mended as %s\nnot          %s", written, got, meant)
		}
		for key, value := range want { // order-free: each alone
			if is[key] != value {
				t.Fatalf("%s\nis mended as %s\nnot          %s", written, got, meant)
			}
		}
	})
	if texts == 0 {
		t.Error("no text was mended")
	}
}

func TestINF25MendingEnds(t *testing.T) {
	for name, text := range map[string]string{
		"texts":    `{"a":[` + strings.Repeat(`"x",`, 1<<16) + `"y "z""]}`,
		"quotes":   `{"a":"` + strings.Repeat(`"`, 1<<18) + `"}`,
		"ends":     `{"a":"` + strings.Repeat(`","b":"`, 1<<15) + `"}`,
		"brackets": strings.Repeat(`{"a":`, 1<<16) + `"x "y""`,
		"blanks":   `{"a":"` + strings.Repeat(`"`+strings.Repeat(" ", 1<<10), 1<<8) + `"}`,
		"comments": `{"a":"x "y"` + strings.Repeat("/**/", 1<<16) + `}`,
	} {
		calls := 0
		mend.Quotes(text, func(string) bool { return false }, func(mend.Outcome) (mend.Fit, bool) { calls++; return mend.Fit{}, false })
		if calls > 256 {
			t.Errorf("%s: %d outcomes were judged", name, calls)
		}
	}
}

// What many ways to read a text have in common is looked at in each of them, and counts each time.
func TestINF25LookingEnds(t *testing.T) {
	for name, text := range map[string]func(n int) string{ // of many ends, and n characters after or before each
		"words": func(n int) string {
			return `{"a":{"b":"` + strings.Repeat(`"}/*`, 120) + `*/` + strings.Repeat("1", n) + `!"}}`
		},
		"comments": func(n int) string {
			return `{"a":{"b":"` + strings.Repeat(`"}/*`, 80) + strings.Repeat("x", n) + `*/!"}}`
		},
		"blanks": func(n int) string {
			return `{"a":{"b":"` + strings.Repeat(`"},"1":'`+strings.Repeat(" ", n/4), 32) + `"}}`
		},
		"texts that have no end": func(n int) string {
			return `{"a":{"b":"` + strings.Repeat(`"},"1":'`, 100) + strings.Repeat("x", n) + `"}}`
		},
		"texts":    func(n int) string { return `{"a":{"b":"` + strings.Repeat("x", n) + strings.Repeat(`"}!`, 200) + `"}}` },
		"outcomes": func(n int) string { return `{"a":"` + strings.Repeat(`"}`, 200) + strings.Repeat("x", n) + `"}` },
	} {
		if got := requoted(text(8), "a"); got == "" {
			t.Errorf("%s: a short one is not mended", name)
		}
		if got := requoted(text(20_000), "a"); got != "" {
			t.Errorf("%s: a long one is mended as %.100s…", name, got)
		}
	}
}

// Where more outcomes could be meant than are judged, a better one may be among the others.
func TestINF25OnlySoManyOutcomesAreJudged(t *testing.T) {
	for outcomes, judged := range map[int]int{256: 256, 257: 256} { // order-free: each alone
		calls := 0
		_, ok := mend.Quotes(`{"a":"x"}"}`+strings.Repeat(`{}`, outcomes-2), func(string) bool { return true }, func(mend.Outcome) (mend.Fit, bool) { calls++; return mend.Fit{}, calls == 1 })
		if calls != judged || ok != (outcomes == judged) {
			t.Errorf("of %d outcomes %d are judged, and one is taken: %t", outcomes, calls, ok)
		}
	}
}

// Where not all ways to read a text are looked at, a better one may be among the others: of many texts, of
// many brackets.
func TestINF25WhatIsNotLookedAtMayBeMeant(t *testing.T) {
	texts := func(n int) string { return `{"a":"x"` + strings.Repeat(`,"1":1`, n) + `,"2":"w"}` }
	nested := func(n int) string {
		return `{"a":"x","1":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `,"2":"w"}`
	}
	for _, test := range []struct {
		text string
		want bool
	}{{texts(252), true}, {texts(253), false}, {nested(63), true}, {nested(64), false}} {
		got, ok := mend.Quotes(test.text, func(string) bool { return true }, func(way mend.Outcome) (mend.Fit, bool) {
			var object map[string]any
			err := json.Unmarshal([]byte(way.Text), &object)
			return mend.Fit{Known: len(object)}, err == nil
		})
		if ok != test.want || ok && got != test.text {
			t.Errorf("%.40s… of %d bytes: %.40s, %t, want %t", test.text, len(test.text), got, ok, test.want)
		}
	}
}

// What a model writes in minutes is looked through, and brackets that nobody writes are not.
func TestINF25LongTextsAreMended(t *testing.T) {
	object := func(n int) string { return "{\n" + strings.Repeat("  \"key\": \"value\",\n", n) + "  \"last\": 1\n}" }
	want := func(n int) string {
		data, _ := json.Marshal(object(n))
		return string(data)
	}
	if got := requoted(`{"a":"`+object(40)+`","b":"`+object(10)+`"}`, "a", "b", "c"); got != `{"a":`+want(40)+`,"b":`+want(10)+`}` {
		t.Errorf("it is mended as %.100s…", got)
	}
	lines := strings.Repeat(`say(\"x\")\n`, 400)
	if got := requoted(strings.ReplaceAll(`{"a":"""X""","b":"""X""","c":"""X"""}`, "X", strings.ReplaceAll(lines, `\"`, `"`)), "a", "b", "c"); got != strings.ReplaceAll(`{"a":"X","b":"X","c":"X"}`, "X", lines) {
		t.Errorf("it is mended as %.100s…", got)
	}
	nested := func(n int) string { return strings.Repeat("[", n) + `"x "y""` + strings.Repeat("]", n) }
	if got := requoted(`{"a":`+nested(63)+`}`, "a"); got == "" {
		t.Error("of 64 brackets")
	}
	if got := requoted(`{"a":`+nested(64)+`}`, "a"); got != "" {
		t.Errorf("of 65 brackets: %s", got)
	}
}

func FuzzQuotes(f *testing.F) {
	for _, seed := range []string{`{"a":"print("hi")"}`, `{'a':'it's'}`, "{\"a\":`x`}", `{"a":"\d"}`, `{"a":"""x"""} // y`, `{"a":1}};{"b":2}`, `(a="x "y"", b=['z'])`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		known := func(name string) bool { return name == "a" }
		fits := func(way mend.Outcome) (mend.Fit, bool) { return mend.Fit{}, json.Valid([]byte(way.Text)) }
		got, ok := mend.Quotes(text, known, fits)
		if ok && !json.Valid([]byte(got)) || !ok && got != text {
			t.Errorf("%q is mended as %q: %t", text, got, ok)
		}
		if again, _ := mend.Quotes(got, known, fits); ok && again != got {
			t.Errorf("%q is mended as %q, and then as %q", text, got, again)
		}
	})
}
