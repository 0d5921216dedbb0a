package sandbox

import "errors"

// errNone is why no rung holds on a system other than Linux.
var errNone = errors.New("shelly contains commands on Linux alone")

// refuse is the keeper of a system where no rung holds (TOL-49).
func refuse(o Options) *Keeper {
	k := &Keeper{options: o}
	for _, r := range Rungs() {
		k.tried = append(k.tried, Attempt{Rung: r, Err: errNone, Mend: "run shelly on Linux"})
	}
	return k
}
