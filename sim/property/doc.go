// Package property checks properties: it makes cases, plays them in the simulator, and
// makes the first that fails as small as it can (PRP-1).
//
//	report := property.Check(file, property.Options{})
//
// A property is a loaded file whose Property is not nil; see [scenario.Property] for
// the format. A case is made of choices: [Check] draws them from a seed, and writes an
// ordinary scenario file of what was chosen, which is loaded and run as any other. So
// what is found is a file that fails by itself. Choosing always the first makes the
// simplest case; a case that fails is made smaller by choosing fewer and lesser ones.
//
// The package is pure: it reads no clock, and stops where its caller says so.
package property
