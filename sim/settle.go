package sim

// settles reports whether a sync is due before anything else happens, and goes to its
// time (JRN-4).
func (r *run) settles() bool {
	if r.engine == nil {
		return false
	}
	a := &r.world.agenda
	due, ok := r.engine.Unsettled(a.now)
	if !ok || len(a.items) == 0 || a.items[0].at == never || a.items[0].at < due {
		return false
	}
	a.now = max(a.now, due)
	return true
}
