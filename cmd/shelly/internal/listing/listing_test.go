package listing

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
)

func table(out io.Writer, rows []string) error {
	return Table(out, "NAME\tIS", rows, func(name string) []string { return []string{name, "here"} })
}

// An empty list ends with 4 and has no head; as JSON it is an empty list.
func TestCLI210AnEmptyListSaysSoAndEndsWith4(t *testing.T) {
	for _, c := range []struct {
		json bool
		rows []string
		out  string
		errs string
		code int
	}{
		{false, nil, "", "shelly: there are 0 %\n", exit.NoMatch},
		{true, nil, "[]\n", "shelly: there are 0 %\n", exit.NoMatch},
		{false, []string{"a"}, "NAME  IS\na     here\n", "", exit.OK},
		{true, []string{"a"}, "[\"a\"]\n", "", exit.OK},
	} {
		var out, errs bytes.Buffer
		body := append([]string{}, c.rows...)
		code := exit.Code(Print(&terminal.Terminal{Out: &out}, c.json, body, c.rows, table, "there are 0 %"), &errs)
		if out.String() != c.out || errs.String() != c.errs || code != c.code {
			t.Errorf("%+v: got %q, %q, %d; want %q, %q, %d", c, &out, &errs, code, c.out, c.errs, c.code)
		}
	}
}

// A write that fails is the error, whether or not there is a row.
func TestCLI2AListThatCannotBeWrittenIsNotAnEmptyList(t *testing.T) {
	r, full := io.Pipe()
	_ = r.CloseWithError(io.ErrClosedPipe)
	for _, rows := range [][]string{nil, {"a"}} {
		if err := Print(&terminal.Terminal{Out: full}, true, rows, rows, table, "none"); exit.Code(err, io.Discard) == exit.NoMatch {
			t.Error(err)
		}
	}
}

// A name with a line break or a tab stays in its line and column.
func TestCLI210ARowIsALine(t *testing.T) {
	var out bytes.Buffer
	if err := table(&out, []string{"a\nb\tc\x1b[2J"}); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintln("NAME          IS") + fmt.Sprintln(`a b c\x1b[2J  here`); out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}

// A table that does not fit a narrow terminal is printed as a block for each row.
func TestCLI210ANarrowTerminalGetsBlocks(t *testing.T) {
	rows := [][]string{{"a", "here", ""}, {"b", "", "a longer text"}}
	table := "ID  IS    TEXT\na   here  \nb         a longer text\n"
	blocks := "ID  a\nIS  here\n\nID    b\nTEXT  a longer text\n"
	for columns, want := range map[int]string{0: table, 22: blocks, 23: table, narrow: table, 200: table} {
		var out bytes.Buffer
		if err := tabulate(&out, columns, "ID\tIS\tTEXT", rows); err != nil || out.String() != want {
			t.Errorf("%d columns: %v\n%s\nwant\n%s", columns, err, &out, want)
		}
	}
	sheet := terminal.Sheet{Columns: 22} // as in a chat (CLI-155)
	if err := Table(&sheet, "ID\tIS\tTEXT", rows, func(row []string) []string { return row }); err != nil || sheet.String() != blocks {
		t.Errorf("on a sheet: %v\n%s\nwant\n%s", err, &sheet, blocks)
	}
	rows[0][2] = strings.Repeat("x", narrow)
	for columns, want := range map[int]bool{narrow: true, narrow + 1: false} {
		var out bytes.Buffer
		if err := tabulate(&out, columns, "ID\tIS\tTEXT", rows); err != nil || strings.Contains(out.String(), "\n\n") != want {
			t.Errorf("%d columns: %v\n%s", columns, err, &out)
		}
	}
}

// What the configuration names and the daemon does not list has not been read yet: nobody is told to add
// what is there already.
func TestCLI198WhatTheDaemonHasNotReadIsSaid(t *testing.T) {
	const late = "shelly runs without b, c, which the configuration names; it reads that at SIGHUP and when it starts"
	for _, c := range []struct {
		listed, configured []string
		says, errs         string
	}{
		{nil, nil, "none", ""},
		{[]string{"a"}, []string{"a"}, "none", ""},
		{nil, []string{"b", "c"}, late, ""}, // Print says it
		{[]string{"a"}, []string{"a", "b", "c"}, late, late + "\n"},
	} {
		var errs bytes.Buffer
		if says := Unread(&terminal.Terminal{Err: &errs}, "none", c.listed, c.configured, strings.Clone); says != c.says || errs.String() != c.errs {
			t.Errorf("%v of %v: got %q and %q", c.listed, c.configured, says, &errs)
		}
	}
}
