package process

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestAProcessIsReadWhateverItsNameHolds(t *testing.T) {
	tail := " S 7 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 1 18446744073709551615"
	zombie := strings.Replace(tail, " S", " Z", 1)
	for _, name := range []string{"sh", "a b", ") S 1 (", "((", "))", "\n"} {
		for what, dead := range map[string]bool{tail: false, zombie: true, strings.Replace(zombie, " 20 0 1 0", " 20 0 2 0", 1): false} {
			e, ok := readStat(5, []byte("5 ("+name+")"+what))
			if want := (Entry{5, 7, 4711, dead, name}); !ok || e != want {
				t.Errorf("%q: got %+v, %v; want ok true, %+v", name, e, ok, want)
			}
		}
	}
	for _, text := range []string{"", "5", "5 (sh", "5 )sh(", "5 (sh) S", "5 (sh) S x 1 1 0 -1 1 1 0 0 0 0 0 0 0 20 0 1 0 4711"} {
		if e, ok := readStat(5, []byte(text)); ok {
			t.Errorf("%q: got %+v, %v; want ok false", text, e, ok)
		}
	}
}

// reading starts a process that ends once its input does.
func reading(t *testing.T) (*exec.Cmd, io.WriteCloser) {
	t.Helper()
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return child, in
}

func TestAProcessIsGoneOnceItHasEndedOrAnotherHasItsNumber(t *testing.T) {
	child, in := reading(t)
	pid := child.Process.Pid
	started := Started(pid)
	own := Started(os.Getpid())
	if started == "" || own == "" || Gone(pid, started) || Gone(os.Getpid(), own) || Gone(os.Getpid(), "") {
		t.Errorf("%q and %q run: %v, %v", started, own, Gone(pid, started), Gone(os.Getpid(), own))
	}
	if !Gone(os.Getpid(), started+"1") || !Gone(os.Getpid(), "another boot/1") {
		t.Error("a process that was started at another time is this one")
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if !Gone(pid, started) {
		t.Error("it has ended and is not gone")
	}
}

func TestAProcessIsSuspendedUntilItContinues(t *testing.T) {
	child, in := reading(t)
	pid := child.Process.Pid
	started := Started(pid)
	for _, step := range []struct {
		signal syscall.Signal
		seen   int // by wait4(2)
	}{{syscall.SIGSTOP, syscall.WUNTRACED}, {syscall.SIGCONT, syscall.WCONTINUED}} {
		if err := syscall.Kill(pid, step.signal); err != nil {
			t.Fatal(err)
		}
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, step.seen, nil); err != nil {
			t.Fatal(err)
		}
		if got, want := Suspended(pid, started), step.signal == syscall.SIGSTOP; got != want {
			t.Errorf("after %v: %v", step.signal, got)
		}
		if Suspended(pid, started+"1") || Suspended(pid, "") {
			t.Errorf("after %v another process is suspended", step.signal)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if Suspended(pid, started) {
		t.Error("it has ended and is suspended")
	}
}
