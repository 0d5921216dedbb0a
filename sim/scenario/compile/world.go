package compile

import (
	"shelly/sim"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
)

// world is what the outside world holds before the first start (SCN-23).
func world(f *format.File) []sim.Thing {
	var things []sim.Thing
	for _, t := range f.World {
		things = append(things, sim.Thing{Name: t.Name, Data: string(t.Value)})
	}
	return things
}

// changes is what an entry does to the world.
func Changes(e *format.Entry) []sim.Change {
	var changes []sim.Change
	for _, t := range e.Writes {
		changes = append(changes, sim.Change{Kind: sim.Write, Thing: sim.Thing{Name: t.Name, Data: string(t.Value)}})
	}
	for _, t := range e.Appends {
		changes = append(changes, sim.Change{Kind: sim.Append, Thing: sim.Thing{Name: t.Name, Data: data.Text(t.Value).JSON()}})
	}
	for _, name := range e.Removes {
		changes = append(changes, sim.Change{Kind: sim.Remove, Thing: sim.Thing{Name: name}})
	}
	return changes
}
