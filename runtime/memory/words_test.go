package memory

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMEM5ATextIsCutIntoTerms(t *testing.T) {
	for _, test := range []struct {
		name, text string
		side       side
		want       []string
	}{
		{"words are folded", "Disk FULL Straße ΣΊΣΥΦΟΣ", indexed, []string{"disk", "full", "straße", "strasse", "strass", "σίσυφοσ", "σισυφοσ"}},
		{"binding words are left out", "What is the disk of web1?", asked, []string{"disk", "web1"}},
		{"compounds have parts", "node.js disk_usage 10.0.0.1", indexed,
			[]string{"node.js", "node", "js", "disk_usage", "disk", "usage", "usag", "10.0.0.1", "10"}},
		{"English words have a stem", "rotated logs of Maria", indexed, []string{"rotated", "rotat", "logs", "log", "maria"}},
		{"widths are one", "ＶＰＮ ﾃﾞｨｽｸ", asked, []string{"vpn", "ディ", "ィス", "スク"}},
		{"an elision leaves no letter", "don't", indexed, []string{"don't", "don", "dont"}},
		{"what follows an elided v is no version", "v'en", indexed, []string{"v'en", "en", "ven"}},
		{"a hyphen with no half before it joins nothing", "-mail", indexed, []string{"mail"}},
		{"punctuation is not a word", "-- ... ! _ /", indexed, nil},
		{"pairs and single characters", "磁盘满", indexed, []string{"磁", "盘", "磁盘", "满", "盘满"}},
		{"asked for by pairs", "磁盘满", asked, []string{"磁盘", "盘满"}},
		{"asked for alone", "盘?", asked, []string{"盘"}},
		{"a mark ends a run", "磁,盘", asked, []string{"磁", "盘"}},
		{"mixed", "磁盘sda1满了", asked, []string{"磁盘", "sda1", "满了"}},
		{"kana", "ディスク", asked, []string{"ディ", "ィス", "スク"}},
		{"prolonged sound", "サーバ", asked, []string{"サー", "ーバ"}},
		{"hangul with particles", "disk가 디스크가", asked, []string{"disk", "가", "디스", "스크", "크가"}},
		{"thai", "ดิสก์", asked, []string{"ดิ", "ิส", "สก", "ก์"}},
		{"combining marks belong to a word", "cafe\u0301", indexed, []string{"café", "cafe"}},
		{"binding words of German are indexed", "wo ist der Hund", indexed, []string{"wo", "ist", "der", "hund"}},
		{"but not asked for", "Wo ist der Hund, und was hat er?", asked, []string{"hund"}},
		{"nor by another spelling", "das muss der Zaun", asked, []string{"zaun"}},
		{"what may be English binds only in German", "war man bin die DER certificate", asked, []string{"war", "man", "bin", "die", "der", "certificate", "certif"}},
		{"a German name does not make a text German", "what did von Neumann say about the war", asked, []string{"von", "neumann", "say", "war"}},
		{"question words of Chinese are indexed", "什么", indexed, []string{"什", "么", "什么"}},
		{"but not asked for, nor what they leave alone", "报销单什么时候交", asked, []string{"报销", "销单"}},
		{"unless nothing else is left", "吗啡", asked, []string{"吗啡"}},
		{"of a question word alone, nothing", "什么呢", asked, nil},
		{"a question word ends a run", "妈妈什么时候过生日", asked, []string{"妈妈", "过生", "生日"}},
		{"a word is found by each of its spellings", "Müller", indexed, []string{"müller", "muller", "mueller"}},
		{"and looks for each", "Łódź", asked, []string{"łódź", "lodz"}},
		{"a spelling has a stem", "Résumés", asked, []string{"résumés", "resumes", "resum"}},
		{"ß is ss", "Straße", asked, []string{"straße", "strasse", "strass"}},
		{"what is no accent to Unicode", "Smørrebrød Œuvre", indexed, []string{"smørrebrød", "smorrebrod", "œuvre", "oeuvre", "oeuvr"}},
		{"other marks stay", "हिन्दी", indexed, []string{"हिन्दी"}},
		{"nothing", "", asked, nil},
		{"invalid UTF-8", "disk \xff\xfe full", indexed, []string{"disk", "full"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, terms(test.text, test.side)); diff != "" {
				t.Errorf("terms of %q (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

// What a splitter remembers does not change its results, even when it has to forget it.
func TestASplitterFindsWhatIsFoundWithoutOne(t *testing.T) {
	sp := newSplitter()
	for i, text := range []string{"Rotated disk_usage of node.js 磁盘", "rotated rotating ROTATED disks", "the the don't 磁盘满 of disk"} {
		if i == 2 {
			for n := 0; len(sp.known) < knownMax; n++ {
				sp.known[fmt.Sprint("w", n)] = nil
			}
		}
		for _, s := range []side{indexed, asked} {
			if diff := cmp.Diff(terms(text, s), sp.terms(text, s)); diff != "" {
				t.Errorf("%q: %s", text, diff)
			}
		}
	}
	if n := len(sp.known); n == 0 || n > knownMax {
		t.Errorf("it keeps %d words", n)
	}
}

// What a person has seen written in one way is found by the other ways of writing it, in both directions (MEM-5).
func TestMEM5OtherWaysToWriteAWord(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want []string // the keywords that both have
	}{
		{"calls getUserByID twice", "get the user by id", []string{"get", "id", "user"}},
		{"HTTPServer", "an http server", []string{"http", "server"}},
		{"parseJSON2", "parse", []string{"pars", "parse"}},
		{"McDonald", "donald", []string{"donald"}},
		{"eBay", "bay", []string{"bay"}},
		{"GitHub", "GITHUB", []string{"github"}},
		{"upgraded to v2.3.1", "2.3.1", []string{"2.3.1"}},
		{"V10 and v12", "10 or 12", []string{"10", "12"}},
		{"v0.8 to v9.1", "0.8 or 9.1", []string{"0.8", "9.1"}},
		{"v2", "2", nil},
		{"valve", "alve", nil},
		{"vX", "X", nil},
		{"endOfFile", "OF", nil},
		{"an e-mail", "email", []string{"email"}},
		{"co-operate", "cooperate", []string{"cooper", "cooperate"}},
		{"co\u2011operate", "co-operate", []string{"co", "cooper", "cooperate", "oper", "operate"}},
		{"e - mail", "email", nil},
		{"e--mail", "email", nil},
		{"mega-ray-gun", "raygun", []string{"raygun"}},
		{"a-1", "a1", nil},
		{"O'Brien", "obrien", []string{"obrien"}},
		{"O\u2019Brien", "O'Brien", []string{"brien", "obrien"}},
		{"the IT department", "who leads IT?", []string{"it"}},
		{"it works", "IT", nil},
		{"the US office", "us", nil},
		{"A letter", "A", nil},
	} {
		of := func(text string, s side) (all []string) {
			for _, term := range terms(text, s) {
				if !slices.Contains(all, term) {
					all = append(all, term)
				}
			}
			return all
		}
		for _, way := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			has, asks := of(way[0], indexed), of(way[1], asked)
			both := slices.DeleteFunc(asks, func(term string) bool { return !slices.Contains(has, term) })
			slices.Sort(both)
			if !slices.Equal(both, tt.want) {
				t.Errorf("%q asked of %q: %q in both, want %q", way[1], way[0], both, tt.want)
			}
		}
	}
}
