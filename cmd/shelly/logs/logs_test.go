package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestCLI185ARecordIsReadInItsOrderAndActsOnNoTerminal(t *testing.T) {
	l, ok := parse([]byte(`{"time":"2026-11-23T05:57:27.4Z","level":"WARN","msg":"a\u001b[2Jb","why":"x \"y\"\nz","handle":12,"took":"1.5s","empty":""}`))
	if !ok || !l.has("handle", "12") || l.has("handle", "1") {
		t.Fatalf("got %+v, %t; want handle 12", l, ok)
	}
	want := l.at.Local().Format("2006-01-02 15:04:05") + ` WARN a\x1b[2Jb why="x \"y\"\nz" handle=12 took=1.5s empty=""`
	if got := l.String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, bad := range []string{"", "x", `[]`, `{"level":"INFO"}`, `{"time":"never"}`, `{"time":"2026-11-23T05:57:27Z","level":"INFO","msg":"cu`} {
		if _, ok := parse([]byte(bad)); ok {
			t.Errorf("%q is a record", bad)
		}
	}
}

func TestCLI185ALogIsFollowedOverItsReplacement(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	write := func(text string) {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err != nil || f.Close() != nil {
			t.Fatal(err)
		}
	}
	var got []string
	f := &following{name: name}
	defer f.close()
	more := func(want ...string) {
		t.Helper()
		got = nil
		err := f.more(func(record []byte) error {
			got = append(got, string(bytes.Clone(record)))
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	more() // it is not there yet
	write("one\ntw")
	more("one")
	write("o\n")
	more("two")
	write("three\n")
	if err := os.Rename(name, name+".1"); err != nil {
		t.Fatal(err)
	}
	more("three")
	write("four\n")
	more("four")
	more()
	for _, text := range []string{"five\n", "six\n"} { // two files are replaced between two looks
		write(text)
		for n := 2; n >= 0; n-- {
			from := name
			if n > 0 {
				from = fmt.Sprintf("%s.%d", name, n)
			}
			if err := os.Rename(from, fmt.Sprintf("%s.%d", name, n+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	write("seven\n")
	more("five", "six", "seven")
	more()
}

func TestCLI185TheRecordsOfARequestAreFoundByAnyNameOfIt(t *testing.T) {
	record := func(attrs string) []byte {
		return []byte(`{"time":"2026-11-23T05:57:27Z","level":"INFO","msg":"m",` + attrs + `}`)
	}
	log := [][]byte{
		record(`"handle":1,"request":"QWERTYUIOP"`), record(`"handle":2,"request":"QWERTYZZZZ"`),
		record(`"handle":1,"for":"reading"`), record(`"handle":2,"for":"reading"`), record(`"pid":1`),
	}
	for name, want := range map[string][]int{"QWERTYUIOP": {0, 2}, "QWERTYUI": {0, 2}, "h1": {0, 2}, "h2": {1, 3}, "QWERTY": nil, "h3": nil, "h": nil, "1": nil} {
		c := &Command{Level: "debug", Request: name}
		var got []int
		for i, r := range log {
			if c.wants(r, 0) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: records %v, want %v", name, got, want)
		}
	}
}
