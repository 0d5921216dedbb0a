package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"shelly/runtime/tool/tree"
)

// Open takes the first rung that holds, which it finds out by running a trial command in
// it. It returns an error only if that cannot be tried at all; if no rung holds, the keeper
// refuses every command, and says why.
func Open(ctx context.Context, o Options) (*Keeper, error) {
	if o.Rungs == nil {
		o.Rungs = Rungs()
	}
	k := &Keeper{options: o}
	for _, r := range o.Rungs {
		a := Attempt{Rung: r, Err: k.fits(r)}
		if a.Err == nil {
			a.Err = k.probe(ctx, r)
		}
		if a.Err != nil {
			a.Mend = mend(r)
			if m := (misfit{}); errors.As(a.Err, &m) {
				a.Mend = m.mend
			}
		}
		k.tried = append(k.tried, a)
		if a.Err == nil {
			k.rung = r
			break
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return k, nil
}

// probeTimeout is how long the trial of a rung may take.
const probeTimeout = 10 * time.Second

// trial checks what a rung promises: that a command can write in the workspace, and sees
// neither the file next to it nor the daemon's network.
const trial = `echo in > in || exit 81
cat ../beside 2>/dev/null && exit 82
test -e /bin/sh || exit 83
echo over`

// ofTrial returns the limits of a trial. It fills no disk, and what others write there meanwhile
// says nothing about a rung.
func (l Limits) ofTrial() Limits {
	l.Disk = 0
	return l
}

// probe runs the trial in a rung.
func (k *Keeper) probe(ctx context.Context, r Rung) error {
	dir, err := os.MkdirTemp("", "shelly-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	workspace, beside, scratch := filepath.Join(dir, "workspace"), filepath.Join(dir, "beside"), filepath.Join(dir, "scratch")
	err = errors.Join(os.Mkdir(workspace, 0o700), os.Mkdir(scratch, 0o700), os.WriteFile(beside, []byte("seen\n"), 0o600))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	tried := &Keeper{rung: r, options: Options{Trees: tree.New(""), Workspace: workspace, Scratch: scratch, Limits: k.options.Limits.ofTrial()}}
	var out firstBytes
	end, err := tried.runContained(ctx, Spec{
		Args: []string{"/bin/sh", "-c", trial}, Dir: workspace, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, Out: &out, Timeout: probeTimeout,
	})
	_, wrote := os.Stat(filepath.Join(workspace, "in"))
	switch {
	case err != nil:
		return err
	case end.TimedOut:
		return fmt.Errorf("a trial has not ended within %v", probeTimeout)
	case !end.Exited || end.Code != 0 || string(out) != "over\n" || wrote != nil:
		return fmt.Errorf("a trial went wrong (code %d %s): %q", end.Code, end.Signal, out)
	}
	return nil
}

// firstBytes keeps the beginning of an output.
type firstBytes []byte

func (b *firstBytes) Write(p []byte) (int, error) {
	*b = append(*b, p[:min(len(p), 500-min(len(*b), 500))]...)
	return len(p), nil
}

// mend returns what an operator can do if a rung does not hold.
func mend(r Rung) string {
	switch r {
	case Namespaces:
		return "let this user make user namespaces: kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0 or a profile of AppArmor for shelly, user.max_user_namespaces above 0; in a container: --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
	case Bubblewrap:
		return "install the package bubblewrap; where user namespaces are denied, with its profile of AppArmor"
	default:
		return "a kernel of 6.2 or newer with Landlock among its security modules (lsm=landlock,…)"
	}
}
