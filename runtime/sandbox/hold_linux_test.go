package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTOL41CommandHasNoNetworkAndNoRights(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		w.must(err)
		defer l.Close()
		reached := make(chan struct{})
		go func() {
			if c, err := l.Accept(); err == nil {
				_ = c.Close()
				close(reached)
			}
		}()
		out, _ := w.sh(fmt.Sprintf(`bash -c "echo > /dev/tcp/127.0.0.1/%d" && echo GOT network
unshare -Ur true && echo GOT namespace
mount -t tmpfs none /tmp && echo GOT mount
mknod d b 254 0 && echo GOT device
true`, l.Addr().(*net.TCPAddr).Port))
		if strings.Contains(out, "GOT") {
			t.Error(out)
		}
		select {
		case <-reached:
			t.Error("the command has reached a server of this machine")
		default:
		}
	})
}

func TestTOL42TheRungIsTheFirstThatHoldsOfThoseAllowed(t *testing.T) {
	w := newWorld(t)
	all := w.open()
	for _, a := range all.Tried() {
		w.options.Rungs = []Rung{a.Rung}
		k := w.open()
		if tried := k.Tried(); len(tried) != 1 || tried[0].Rung != a.Rung || (k.Rung() == a.Rung) != (a.Err == nil) {
			t.Errorf("%s alone: took %q, tried %v; before: %v", a.Rung, k.Rung(), tried, a.Err)
		}
	}
	w.options.Rungs, w.options.Hidden = []Rung{Landlock}, []string{w.path("ws/data")}
	if tried := w.open().Tried(); tried[0].Err == nil || tried[0].Mend == "" {
		t.Errorf("what is to be hidden is in the workspace, and landlock took it: %+v", tried)
	}
}

func TestTOL44LimitsEndWhatTakesTooMuch(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.options.Limits.FileSize, w.options.Limits.OpenFiles, w.options.Limits.Disk = 1<<20, 32, 16<<20
		out, _ := w.sh("head -c 9000000 /dev/zero > big; stat -c %s big; ulimit -n")
		if !strings.HasSuffix(out, "1048576\n32\n") {
			t.Errorf("a file and descriptors: %q", out)
		}
		_, end := w.sh("i=0; while :; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); done")
		if !end.DiskFull || end.Exited {
			t.Errorf("a full disk: %+v", end)
		}
	})
}

func TestTOL45HooksAndConfigurationOfGitStay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.options.Rungs[0] == Landlock {
			t.Skip("landlock does not hold it: docs/sandbox.md")
		}
		w.write("ws/.git/config", "[core]\n")
		w.write("ws/.git/hooks/pre-commit", "good\n")
		w.write("ws/shelly.yaml", "tools: {}\n")
		w.options.Fixed = []string{w.path("ws/shelly.yaml")}
		w.sh(`echo evil >> .git/config; echo evil >> .git/hooks/pre-commit; echo evil > .git/hooks/post-commit; rm -f .git/config
mv .git aside && mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit
echo evil >> shelly.yaml; rm -f shelly.yaml; echo other > .git/other`)
		for name, want := range map[string]string{"ws/.git/config": "[core]\n", "ws/.git/hooks/pre-commit": "good\n", "ws/shelly.yaml": "tools: {}\n", "ws/.git/other": "other\n"} {
			if text, err := os.ReadFile(w.path(name)); err != nil || string(text) != want {
				t.Errorf("%s holds %q, %v; want %q", name, text, err, want)
			}
		}
		if made, _ := filepath.Glob(w.path("ws/.git/hooks/post*")); len(made) > 0 {
			t.Errorf("made: %v", made)
		}
	})
}

// So it is on every system where there is no rung.
func TestTOL49WhereNothingContainsCommandsTheyAreRefused(t *testing.T) {
	w := newWorld(t)
	w.options.Rungs = []Rung{}
	k := w.open()
	if _, err := k.Run(t.Context(), Spec{Args: []string{"/bin/true"}}); err == nil || k.Rung() != "" {
		t.Errorf("a command ran by %q", k.Rung())
	}
	var out firstBytes
	end, err := Uncontained(w.options).Run(t.Context(), Spec{Args: []string{"/bin/echo", "bare"}, Out: &out})
	if err != nil || !end.Exited || string(out) != "bare\n" {
		t.Errorf("unsandboxed: %+v, %v, %q", end, err, out)
	}
}
