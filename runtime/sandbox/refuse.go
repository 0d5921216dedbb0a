package sandbox

import "errors"

// errNone is why no rung holds on systems other than Linux.
var errNone = errors.New("shelly contains commands only on Linux")

// refuse returns the keeper for a system where no rung holds (TOL-49).
func refuse(o Options) *Keeper {
	k := &Keeper{options: o}
	for _, r := range Rungs() {
		k.tried = append(k.tried, Attempt{Rung: r, Err: errNone, Mend: "run shelly on Linux"})
	}
	return k
}
