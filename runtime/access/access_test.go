package access_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/access"
)

func open(t *testing.T, data string, now *time.Time) *access.Clients {
	t.Helper()
	c, err := access.Open(data, access.Options{Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCOM88OfATokenOnlyItsHashIsKept(t *testing.T) {
	data, now := t.TempDir(), time.UnixMilli(5_000)
	c := open(t, data, &now)
	token, err := c.Add("ci", access.Rights{access.Ask, access.Events})
	if err != nil || len(token) < 64 {
		t.Fatalf("got %q, %v; want a length of at least 64", token, err)
	}
	path := filepath.Join(data, access.Name)
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), strings.TrimPrefix(token, "shelly_")) {
		t.Errorf("%v: the file holds the token: %s", err, text)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v; want Perm() 0o600", info.Mode(), err)
	}
	again := open(t, data, &now)
	found, alive, ok := again.Find(token)
	if !ok || found.Name != "ci" || alive.Err() != nil || !found.Can.Has(access.Events) || found.Can.Has(access.Decide) {
		t.Errorf("after a start: %+v, %t", found, ok)
	}
	for _, wrong := range []string{"", token[1:], token + "0", strings.ToUpper(token)} {
		if found, _, ok := again.Find(wrong); ok {
			t.Errorf("%q is a token of %+v", wrong, found)
		}
	}
	if other, err := c.Add("other", access.Rights{access.Ask}); err != nil || other == token {
		t.Errorf("got %q, %v; want not %q", other, err, token)
	}
}

func TestCOM88ATokenIsTakenBackForGood(t *testing.T) {
	data, now := t.TempDir(), time.UnixMilli(0)
	c := open(t, data, &now)
	token, err := c.Add("ci", access.Rights{access.All})
	if err != nil {
		t.Fatal(err)
	}
	_, alive, _ := c.Find(token)
	if taken, err := c.Revoke("ci"); !taken || err != nil || alive.Err() == nil {
		t.Errorf("%t, %v; alive %v", taken, err, alive.Err())
	}
	for _, one := range []*access.Clients{c, open(t, data, &now)} {
		if _, _, ok := one.Find(token); ok || len(one.List()) != 0 {
			t.Errorf("it is still there: %+v", one.List())
		}
	}
	if taken, err := c.Revoke("ci"); taken || err != nil {
		t.Errorf("again: %t, %v", taken, err)
	}
}

func TestCOM88WhenATokenWasUsedIsKeptToTheHour(t *testing.T) {
	const hour = fsm.Millis(3_600_000)
	data, now := t.TempDir(), time.UnixMilli(int64(10*hour)+5)
	c := open(t, data, &now)
	token, err := c.Add("ci", access.Rights{access.Ask})
	if err != nil {
		t.Fatal(err)
	}
	used := func(c *access.Clients) fsm.Millis { return c.List()[0].Used }
	if used(c) != 0 {
		t.Errorf("used at %d before it was", used(c))
	}
	c.Find(token)
	if at := used(open(t, data, &now)); at != 10*hour {
		t.Errorf("used at %d", at)
	}
	text, err := os.ReadFile(filepath.Join(data, access.Name))
	if err != nil || os.Remove(filepath.Join(data, access.Name)) != nil {
		t.Fatal(err)
	}
	now = now.Add(59 * time.Minute)
	if c.Find(token); used(c) != 10*hour {
		t.Errorf("used at %d", used(c))
	}
	if _, err := os.Stat(filepath.Join(data, access.Name)); err == nil {
		t.Errorf("a use within the hour was written over %s", text)
	}
	now = now.Add(time.Minute)
	if c.Find(token); used(c) != 11*hour {
		t.Errorf("used at %d", used(c))
	}
}

func TestCOM88NamesAreThoseOfChannels(t *testing.T) {
	data, now := t.TempDir(), time.UnixMilli(0)
	c := open(t, data, &now)
	for _, name := range []string{"", "local", "A", "a b", "a/b", "ü", "a:b", strings.Repeat("a", 33), "../x", "a\n"} {
		if token, err := c.Add(name, access.Rights{access.Ask}); err == nil {
			t.Errorf("%q has the token %s", name, token)
		}
	}
	for _, name := range []string{"a", "a-b_9", strings.Repeat("a", 32)} {
		if _, err := c.Add(name, access.Rights{access.Ask}); err != nil {
			t.Errorf("%q: got %v; want no error", name, err)
		}
		if _, err := c.Add(name, access.Rights{access.Ask}); err != access.ErrTaken {
			t.Errorf("%q again: %v", name, err)
		}
	}
}

func TestCOM88AFileThatCannotBeTrustedLetsNobodyIn(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	one := func(name, sum, can string) string {
		return `{"name":"` + name + `","sha256":"` + sum + `","can":[` + can + `],"made":1}`
	}
	whole := func(list string) string { return `{"format":1,"clients":[` + list + `]}` }
	for text, says := range map[string]string{
		"":                          "EOF",
		"{}":                        "format is 0",
		`{"format":2,"clients":[]}`: "format is 2",
		whole("") + "{}":            "more after its end",
		whole("") + "}":             "more after its end",
		whole(one("a", hash, `"ask"`) + "," + one("a", hash, `"ask"`)):             `two clients "a"`,
		whole(one("local", hash, `"ask"`)):                                         "daemon's own token",
		whole(one("a", hash[1:], `"ask"`)):                                         "no hash",
		whole(one("a", hash+"01", `"ask"`)):                                        "no hash",
		whole(one("a", "z"+hash[1:], `"ask"`)):                                     "no hash",
		whole(one("a", hash[2:]+"zz", `"ask"`)):                                    "no hash",
		whole(one("a", hash, `"root"`)):                                            "not a right",
		whole(one("a", hash, ``)):                                                  "no right",
		strings.Replace(whole(one("a", hash, `"ask"`)), "made", "made_by_hand", 1): "unknown field",
	} {
		data := t.TempDir()
		if err := os.WriteFile(filepath.Join(data, access.Name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := access.Open(data, access.Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want %q", text, err, says)
		}
	}
	data := t.TempDir()
	path := filepath.Join(data, access.Name)
	if err := os.WriteFile(path, []byte(whole(one("a", hash, `"ask"`))), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := access.Open(data, access.Options{}); err == nil || !strings.Contains(err.Error(), "others may use") {
		t.Errorf("one that others may read: %v", err)
	}
	if err := os.Rename(path, path+"2"); err != nil || os.Symlink(path+"2", path) != nil {
		t.Fatal(err)
	}
	if _, err := access.Open(data, access.Options{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a link: %v", err)
	}
}

func TestCOM86ARightIncludesOthers(t *testing.T) {
	all := append([]access.Right{access.Anyone}, access.Given...)
	for right, want := range map[access.Right]string{
		access.Ask: "anyone ask", access.Decide: "anyone ask decide", access.Events: "anyone events", access.All: "anyone ask decide events all",
	} {
		var got []string
		for _, r := range all {
			if (access.Rights{right}).Has(r) {
				got = append(got, string(r))
			}
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", right, diff)
		}
	}
	if _, err := access.ParseRights([]string{"anyone"}); err == nil {
		t.Error("a token can give what needs none")
	}
	if (access.Rights)(nil).Has("") {
		t.Error("none is some")
	}
}

// Nobody has a token that is gone after a start, or none that was said to be taken back and is not.
func TestCOM88WhatCannotBeKeptHasNotHappened(t *testing.T) {
	data, now := filepath.Join(t.TempDir(), "data"), time.UnixMilli(0)
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	c := open(t, data, &now)
	token, err := c.Add("ci", access.Rights{access.Ask})
	if err != nil {
		t.Fatal(err)
	}
	_, alive, _ := c.Find(token)
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	if token, err := c.Add("other", access.Rights{access.Ask}); err == nil || token != "" {
		t.Errorf("got %q, %v; want no token, an error", token, err)
	}
	if taken, err := c.Revoke("ci"); err == nil || taken || alive.Err() != nil {
		t.Errorf("taken back: %t, %v, alive %v; want an error, and that it is good", taken, err, alive.Err())
	}
	if list := c.List(); len(list) != 1 || list[0].Name != "ci" {
		t.Errorf("got %+v; want ci alone", list)
	}
}

func TestCOM86AClientsNameIsAWord(t *testing.T) {
	for name, is := range map[string]bool{
		"0": true, "9": true, "a": true, "z": true, "-": true, "_": true, "ci-2_b": true, strings.Repeat("n", access.NameBytesMax): true,
		"": false, "A": false, "/": false, ":": false, "`": false, "{": false, "a/b": false, "é": false, "a\x00": false, strings.Repeat("n", access.NameBytesMax+1): false,
		access.Channels: false, access.Reserved: false,
	} {
		if err := access.CheckName(name); (err == nil) != is {
			t.Errorf("%q: %v; want a name: %t", name, err, is)
		}
	}
}
