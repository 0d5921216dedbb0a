package sandbox

import "testing"

// TOL-42: whoever has the daemon's own mounts does not get as far as changing them. The rest of
// what makes the root is not called here: as root it would take the machine's.
func TestTOL42TheDaemonsOwnMountsAreLeftAlone(t *testing.T) {
	k := &Keeper{rung: Namespaces}
	k.options.Workspace = t.TempDir()
	p, err := k.plan(Spec{Dir: k.options.Workspace, ReadOnly: true, Args: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.apart(); err == nil {
		t.Error("a process with the daemon's own mounts may change them")
	}
	if err := (&plan{}).apart(); err == nil {
		t.Error("a plan that does not say which mounts are the daemon's is carried out")
	}
	p.Mounts = "mnt:[0]"
	if err := p.apart(); err != nil {
		t.Errorf("a process with mounts of its own may not change them: %v", err)
	}
}
