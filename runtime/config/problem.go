package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// layer is the rank of a source; a later one wins.
type layer int

const (
	layerDefault layer = iota
	layerFile
	layerEnvironment
	layerFlag
)

// origin is where a value comes from.
type origin struct {
	layer     layer
	name      string // the file, variable or flag
	line, col int    // in a file, from 1
}

// source names the origin in answers to where a value comes from.
func (o origin) source() string {
	switch o.layer {
	case layerFile:
		return fmt.Sprintf("%s:%d", o.name, o.line)
	case layerEnvironment:
		return "environment " + o.name
	case layerFlag:
		return "flag " + o.name
	default:
		return o.name
	}
}

// place names the origin at the start of an error.
func (o origin) place() string {
	if o.layer == layerFile && o.line > 0 {
		return fmt.Sprintf("%s:%d:%d", o.name, o.line, o.col)
	}
	if o.layer == layerFile {
		return o.name
	}
	return o.source()
}

// problem is one thing that is wrong, on one line.
type problem struct {
	origin origin
	key    string // empty if no key is to blame
	what   string
}

// Error is "place: key: what".
func (p problem) Error() string {
	if p.key == "" {
		return p.origin.place() + ": " + p.what
	}
	return p.origin.place() + ": " + p.key + ": " + p.what
}

// problems collects what is wrong, so that everything is reported at once.
type problems []problem

func (ps *problems) add(o origin, key, what string) {
	*ps = append(*ps, problem{origin: o, key: key, what: what})
}

// err joins the problems in the order of the sources and, within a file, of the lines; nil if there
// are none.
func (ps problems) err() error {
	slices.SortStableFunc(ps, func(a, b problem) int {
		return cmp.Or(
			cmp.Compare(a.origin.layer, b.origin.layer),
			cmp.Compare(a.origin.line, b.origin.line),
			cmp.Compare(a.origin.col, b.origin.col),
		)
	})
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errors.Join(errs...)
}
