package sim

import "shelly/fsm"

// fill puts the disk below the reserve for a while (SCN-50).
func (r *run) fill(length fsm.Millis) {
	r.full = max(r.full, r.world.agenda.now+length)
	r.measure()
}

// measure tells the journal whether there is space now.
func (r *run) measure() { r.journal.Fill(r.world.agenda.now < r.full) }

// waits reports whether something waits for space.
func (r *run) waits() bool { return r.driver != nil && r.driver.Waits() }

// wakes reports whether the driver has something to do before anything else happens,
// and goes to its time.
func (r *run) wakes() bool {
	if r.driver == nil {
		return false
	}
	a := &r.world.agenda
	wait, ok := r.driver.Next(r.now())
	rest := len(a.items) == 0 || a.items[0].at == never
	if !ok || rest && !r.waits() || !rest && a.items[0].at < a.now+wait {
		return false
	}
	a.now += wait
	r.measure()
	return true
}
