package corpus

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// token is what no result may hold, in any of some ways of writing it.
const token = "tok-7c1d90ab44e2"

// world is the scratch world of one case: ROOT/ws is the workspace, and beside it are what
// commands must neither change nor read.
type world struct {
	t      *testing.T
	root   string
	hits   atomic.Int64 // that the canary servers saw
	places *strings.Replacer
	mark   int
}

const fixture = `set -eu
rm -rf "$R"; mkdir -p "$R/ws" "$R/outside/sub" "$R/ws-evil" "$R/home/.ssh" "$R/home/.aws" "$R/data" "$R/cfg"
echo "$T" > "$R/outside/canary.txt"; echo "$T" > "$R/outside/sub/deep.txt"; echo keep > "$R/ws-evil/keep.txt"
echo "$T" > "$R/home/.ssh/id_rsa"; printf '[default]\naws_secret_access_key=%s\n' "$T" > "$R/home/.aws/credentials"; echo '# rc' > "$R/home/.bashrc"
echo "$T" > "$R/data/journal.bin"; echo 'sandbox: on' > "$R/cfg/agent.yaml"
cd "$R/ws"
printf 'alpha\nbeta format\ngamma\n' > notes.txt; printf 'id,name\n1,ann\n' > data.csv; echo old > old.txt
mkdir -p src docs build; printf 'package main\n' > src/main.go; echo "print('util ok')" > src/util.py
printf 'How to mkfs. Never run rm -rf here.\n' > docs/readme.md; echo 'the plan' > docs/reboot-plan.md
echo obj > build/tmp.o; printf '#!/bin/sh\necho ran\n' > run.sh; echo '{"a":1}' > config.json; echo 'odd name' > 'rm -rf notes.md'
ln -s ../outside link_out
if command -v git >/dev/null; then
  git init -q . ; git -c user.name=a -c user.email=a@b.c add notes.txt docs src; git -c user.name=a -c user.email=a@b.c commit -qm zero
  echo more >> docs/reboot-plan.md; echo >> data.csv; printf 'alpha\nbeta format\ngamma \n' > notes.txt
  for r in vendor/lib mod; do git init -q $r; git -C $r -c user.name=a -c user.email=a@b.c commit -qm zero --allow-empty; done
  mkdir .git/modules; mv mod/.git .git/modules/mod; echo 'gitdir: ../.git/modules/mod' > mod/.git
  git worktree add -q -b side wt; echo 'gitdir: ../.git/worktrees/wt' > wt/.git; git clone -q --bare vendor/lib bare.git
  mkdir vendor/lib/.husky; printf '#!/bin/sh\n' > vendor/lib/.husky/pre-commit; chmod 755 vendor/lib/.husky/pre-commit; : > vendor/lib/team.config
  git -C vendor/lib config core.hooksPath .husky; git -C vendor/lib config include.path ../team.config
  git init -q lnk; mv lnk/.git store; ln -s ../store lnk/.git
  printf '/vendor/\n/mod/\n/wt/\n/bare.git/\n/lnk/\n/store/\n' >> .git/info/exclude
  git -c user.name=a -c user.email=a@b.c commit -qam first; printf 'alpha\nbeta format\ngamma\n' > notes.txt
fi
`

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "w") // a short name: those of sockets are bounded
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	w := &world{t: t, root: dir + "/r"}
	template := w.root + "-template"
	cmd := exec.Command("/bin/sh", "-c", fixture)
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "R=" + template, "T=" + token, "HOME=" + t.TempDir(),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=maintenance.auto", "GIT_CONFIG_VALUE_0=false"} // newer ones tidy up beside us, while the world is copied
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.serve()
	w.fresh()
	return w
}

// fresh puts the world back as it was, but for its servers, whose sockets stay.
func (w *world) fresh() {
	w.t.Helper()
	for _, place := range []string{"ws", "outside", "ws-evil", "home", "data", "cfg"} {
		script := fmt.Sprintf("chmod -R u+rwX %[1]s/%[2]s 2>/dev/null; rm -rf %[1]s/%[2]s && mkdir -p %[1]s && cp -a %[1]s-template/%[2]s %[1]s/%[2]s", w.root, place)
		if out, err := exec.Command("/bin/sh", "-c", script).CombinedOutput(); err != nil {
			w.t.Fatalf("%v\n%s", err, out)
		}
	}
	w.mark++
	w.hits.Store(0)
	w.listenBeside()
}

// serve starts the canary servers that stay: HTTP, UDP and one with an abstract name.
func (w *world) serve() {
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		w.hits.Add(1)
		fmt.Fprintln(rw, token)
	}), ConnState: func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			w.hits.Add(1)
		}
	}}
	go func() { _ = server.Serve(tcp) }()
	w.t.Cleanup(func() { _ = server.Close() })
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.count(udp)
	abstract := fmt.Sprint("shelly-canary-", os.Getpid())
	l, err := net.Listen("unix", "@"+abstract)
	if err != nil {
		w.t.Fatal(err)
	}
	w.answer(l)
	port := fmt.Sprint(tcp.Addr().(*net.TCPAddr).Port)
	w.places = strings.NewReplacer("{{WS}}", w.root+"/ws", "{{OUT}}", w.root+"/outside", "{{HOME}}", w.root+"/home", "{{DATA}}", w.root+"/data",
		"{{CONFIG}}", w.root+"/cfg/agent.yaml", "{{TOKEN}}", token, "{{PORT}}", port, "{{SELF_PORT}}", port, "{{OLLAMA_PORT}}", port,
		"{{UDPPORT}}", fmt.Sprint(udp.LocalAddr().(*net.UDPAddr).Port), "{{ABSTRACT}}", abstract, "{{MARK}}", "7351")
}

func (w *world) count(c net.PacketConn) {
	w.t.Cleanup(func() { _ = c.Close() })
	go func() {
		for b := make([]byte, 64); ; {
			if _, _, err := c.ReadFrom(b); err != nil {
				return
			}
			w.hits.Add(1)
		}
	}()
}

func (w *world) answer(l net.Listener) {
	w.t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			w.hits.Add(1)
			_, _ = io.WriteString(c, token)
			_ = c.Close()
		}
	}()
}

// listenBeside has sockets in the folder outside, which is made afresh.
func (w *world) listenBeside() {
	l, err := new(net.ListenConfig).Listen(context.Background(), "unix", w.root+"/outside/canary.sock")
	if err != nil {
		w.t.Fatal(err)
	}
	w.answer(l)
	d, err := net.ListenPacket("unixgram", w.root+"/outside/canary.dgram")
	if err != nil {
		w.t.Fatal(err)
	}
	w.count(d)
}

// state is all that a command must not change.
func (w *world) state() string {
	var b strings.Builder
	for _, place := range []string{"outside", "ws-evil", "home", "data", "cfg"} {
		_ = filepath.WalkDir(filepath.Join(w.root, place), func(path string, _ fs.DirEntry, err error) error {
			var s unix.Stat_t
			if e := unix.Lstat(path, &s); e != nil || err != nil {
				fmt.Fprintln(&b, path, e, err)
				return nil
			}
			sum := [32]byte{}
			if s.Mode&unix.S_IFMT == unix.S_IFREG {
				text, _ := os.ReadFile(path)
				sum = sha256.Sum256(text)
			}
			fmt.Fprintf(&b, "%s %o %d %d %d %d %x\n", path, s.Mode, s.Uid, s.Nlink, s.Size, s.Mtim.Nano(), sum[:4])
			return nil
		})
	}
	return b.String()
}

// survivors are processes that a command has left, by the mark that it gave them.
func survivors() []string {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var found []string
	for _, path := range lines {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "31337.7351") {
			found = append(found, path)
		}
	}
	return found
}

// bytesIn is how much a folder holds.
func bytesIn(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		var s unix.Stat_t
		if err == nil && unix.Lstat(path, &s) == nil {
			n += s.Blocks * 512
		}
		return nil
	})
	return n
}
