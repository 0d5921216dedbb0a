package scenario

import (
	"slices"

	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/strict"
)

// Data is plain data of any kind, as JSON with its keys in the order of the file.
type Data string

func (v *Data) Read(d *strict.Decoder, n *strict.Node, path string) {
	if value, ok := readData(d, n, path); ok {
		*v = Data(value.json())
	}
}

// checkChanges wants of an entry that changes the world that it may, and that it
// does one thing to each name.
func (k *checker) checkChanges(path string, e *Entry) {
	changes := e.changes()
	if len(changes) > 0 && (e.Nothing || e.Fails != nil && e.Fails.Retryable) {
		k.at(path, "writes, appends and removes change the world, but the entry says that nothing happened (nothing, retryable)")
	}
	var names []string
	for _, c := range changes {
		if slices.Contains(names, c.Name) {
			k.at(path, "changes "+wording.Word(c.Name)+" twice; one of writes, appends and removes is for a name")
		}
		names = append(names, c.Name)
	}
}

// world is what the outside world holds before the first start (SCN-23).
func (f *File) world() []sim.Thing {
	var things []sim.Thing
	for _, t := range f.World {
		things = append(things, sim.Thing{Name: t.Name, Data: string(t.Value)})
	}
	return things
}

// changes is what an entry does to the world.
func (e *Entry) changes() []sim.Change {
	var changes []sim.Change
	for _, t := range e.Writes {
		changes = append(changes, sim.Change{Kind: sim.Write, Thing: sim.Thing{Name: t.Name, Data: string(t.Value)}})
	}
	for _, t := range e.Appends {
		changes = append(changes, sim.Change{Kind: sim.Append, Thing: sim.Thing{Name: t.Name, Data: textValue(t.Value).json()}})
	}
	for _, name := range e.Removes {
		changes = append(changes, sim.Change{Kind: sim.Remove, Thing: sim.Thing{Name: name}})
	}
	return changes
}

// worldValue is the outside world by name.
func worldValue(things []sim.Thing) value {
	v := mapValue("")
	for _, t := range things {
		data, err := valueOfJSON(t.Data)
		if err != nil {
			data = textValue(t.Data) // all of it was read as data once
		}
		v.members = append(v.members, with(t.Name, data))
	}
	return v
}
