package format

import (
	"shelly/sim/scenario/document"
	"shelly/sim/strict"
)

// Read reads a case along the types of the format.
func Read(c *document.Case, d *strict.Decoder) *File {
	f := &File{Case: c}
	d.Value(c.Root(), f, "")
	f.Expect.rename()
	return f
}
