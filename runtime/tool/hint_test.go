package tool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTOL104AResultSaysWhatACommandHasRunInto(t *testing.T) {
	const offline, bash = "[commands have no network]\n", "[this is sh; bash -c runs what only bash knows]\n"
	programs := map[string]string{"go": "/usr/local/go/bin/go", "cargo": "/home/a/.cargo/bin/cargo", "python3": "/usr/bin/python3", "ls": "/usr/bin/ls", "frob3": "/opt/frob3"}
	s := surroundings{offline: true, kept: true, path: "/usr/bin:/bin", find: func(name string) (string, bool) {
		return programs[name], strings.HasPrefix(programs[name], "/usr")
	}}
	for _, c := range []struct {
		name string
		outcome
		want string
	}{
		{"nothing", outcome{command: "make", out: "ok\n"}, ""},
		{"curl", outcome{out: "curl: (6) Could not resolve host: example.com\n"}, offline},
		{"Python", outcome{out: "URLError: <urlopen error [Errno -3] Temporary failure in name resolution>\n"}, offline},
		{"Go", outcome{out: "dial tcp: lookup example.com on [::1]:53: dial udp [::1]:53: connect: network is unreachable\n"}, offline},
		{"Node", outcome{out: "npm ERR! getaddrinfo EAI_AGAIN registry.example.com\n"}, offline},
		{"silent", outcome{command: "/bin/sh -c curl -s localhost:8080", silent: true}, offline},
		{"cargo", outcome{out: "[6] Couldn't resolve host name (Could not ...)\n"}, offline},
		{"silent, without a shell", outcome{command: "wget -q a", silent: true}, offline},
		{"silent after others", outcome{command: "cd x && if A=1 wget -q a; then b=$(curl a); fi", silent: true}, offline},
		{"silent, and curl is what is looked for", outcome{command: "grep -q 'curl' Makefile", silent: true}, ""},
		{"silent, and a URL is", outcome{command: "grep -rq https://a .", silent: true}, ""},
		{"late, and a server", outcome{command: "npm run dev", late: true}, ""},
		{"late, and a test", outcome{command: "cd git && go test ./...", late: true}, ""},
		{"late, in one of several", outcome{command: "make && git -C x pull origin", late: true}, offline},
		{"silent, and no network is needed", outcome{command: "git diff --quiet", silent: true}, ""},
		{"not silent, and no network is needed", outcome{command: "echo http://a", out: "http://a\n"}, ""},
		{"late", outcome{command: "npm install | tail -3", late: true}, offline},
		{"late, and no network is needed", outcome{command: "sleep 100", late: true}, ""},
		{"dash and source", outcome{out: "/bin/sh: 1: source: not found\n"}, bash},
		{"dash and [[", outcome{out: "/bin/sh: 1: [[: not found\n"}, bash},
		{"dash and an array", outcome{out: "/bin/sh: 1: Syntax error: \"(\" unexpected\n"}, bash},
		{"dash and pipefail", outcome{out: "/bin/sh: 1: set: Illegal option -o pipefail\n"}, bash},
		{"dash and ${x//a/b}", outcome{out: "a\n/bin/sh: 2: Bad substitution\n"}, bash},
		{"dash and a loop of numbers", outcome{out: "/bin/sh: 1: Syntax error: Bad for loop variable\n"}, bash},
		{"the shell of a program", outcome{out: "sh: 1: source: not found\n"}, bash},
		{"a program in the PATH of commands", outcome{out: "/bin/sh: 1: ls: not found\n"}, "[ls is /usr/bin/ls, which is not in the PATH that the command has set]\n"},
		{"a program that commands see", outcome{out: "/bin/sh: 1: go: not found\n"}, "[go is /usr/local/go/bin/go, which is not in the PATH of commands]\n"},
		{"a program that they do not see", outcome{out: "bash: line 3: cargo: command not found\n"},
			"[cargo is /home/a/.cargo/bin/cargo, which commands do not see; the operator can add its folder to tools.exec.path]\n"},
		{"the older name of a program", outcome{out: "/bin/sh: 1: python: not found\n"}, "[there is python3]\n"},
		{"the older name of one that they do not see", outcome{out: "/bin/sh: 1: frob: not found\n"}, ""},
		{"a program that there is not", outcome{out: "/bin/sh: 1: frobnicate: not found\n"}, ""},
		{"a file that there is not", outcome{out: "/bin/sh: 1: ./go: not found\n"}, ""},
		{"elsewhere", outcome{out: "touch: cannot touch '/etc/x': Read-only file system\n"}, "[commands change nothing outside the workspace, nor what is protected in it]\n"},
	} {
		if got := s.remarks(c.outcome); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	s.offline = false
	if got := s.remarks(outcome{command: "curl a", out: "Could not resolve host: a\n", silent: true, late: true}); got != "" {
		t.Errorf("with a network: %q", got)
	}
	s.kept = false
	if got := s.remarks(outcome{out: "touch: cannot touch '/etc/x': Read-only file system\n"}); got != "" {
		t.Errorf("uncontained: %q", got)
	}
}

func TestTOL104ARemarkIsBelowTheOutput(t *testing.T) {
	w := newExecWorld(t)
	for command, want := range map[string]string{ // order-free: each alone
		"printf 'x: Network is unreachable'":        "exit code: 0\nx: Network is unreachable\n[commands have no network]\n",
		"curl() { :; } && exit 7":                   "exit code: 7\n(no output)\n[commands have no network]\n",
		"curl() { :; } && exit 0":                   "exit code: 0\n(no output)",
		"exit 7 # curl":                             "exit code: 7\n(no output)",
		"echo x: Read-only file system; kill -9 $$": "ended by signal: killed\nx: Read-only file system\n[commands change nothing outside the workspace, nor what is protected in it]\n",
		"PATH=; no_such_program_at_all 2>/dev/null": "exit code: 127\n(no output)",
	} {
		if got := w.sh(command); got.Text != want {
			t.Errorf("%s: got %q, want %q", command, got.Text, want)
		}
	}
	w.options.ResultBytesMax = 2048
	elsewhere := t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "frobnicate"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", elsewhere+":"+os.Getenv("PATH"))
	const most = "head -c 9000 /dev/zero | tr '\\0' x; echo; echo x: Network is unreachable, Read-only file system; echo bash: line 1: frobnicate: command not found; echo /bin/sh: 1: source: not found; exit 3"
	if got := w.sh(most); len(got.Text) > 2048 || !strings.HasPrefix(got.Text, "exit code: 3\nxxx") || !strings.Contains(got.Text, "not found\n[commands have no network]\n[this is sh") || !strings.HasSuffix(got.Text, "\n[commands change nothing outside the workspace, nor what is protected in it]\n") {
		t.Errorf("with much output: %d bytes, … %q", len(got.Text), got.Text[max(0, len(got.Text)-200):])
	}
	w.options.Exec.Network = true
	if got := w.sh("echo x: Network is unreachable"); got.Text != "exit code: 0\nx: Network is unreachable\n" {
		t.Errorf("with a network: %q", got.Text)
	}
}

// Programs of the operator's folders come before the system's, and variables after PATH, HOME and LANG.
func TestTOL103FoldersOfProgramsAndVariablesAreTheCommands(t *testing.T) {
	w := newExecWorld(t)
	for name, text := range map[string]string{"ls": "mine", "greet": "hello $NAME"} { // order-free: two files
		if err := os.WriteFile(filepath.Join(w.workspace, "src", name), []byte("#!/bin/sh\necho "+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.options.Exec.Path, w.options.Exec.Env = []string{filepath.Join(w.workspace, "src"), "/nowhere"}, []string{"NAME=you", "LANG=de_DE.UTF-8"}
	want := "exit code: 0\nmine\nhello you\n" + w.workspace + "/src:/nowhere:/usr/local/bin:/usr/bin:/bin de_DE.UTF-8\n"
	if got := w.sh("ls; greet; echo $PATH $LANG"); got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
	if got, want := w.options.Exec.surroundings().path, w.workspace+"/src:/nowhere:/usr/local/bin:/usr/bin:/bin"; got != want {
		t.Errorf("remarks go by %q, want %q", got, want)
	}
	if got := w.exec(map[string]any{"argv": []string{"greet"}}); got.Text != "exit code: 0\nhello you\n" {
		t.Errorf("without a shell: %+v", got)
	}
}
