// Package property checks properties: it makes cases, plays them in the simulator, and
// shrinks the first one that fails as far as it can (PRP-1).
//
//	report := property.Check(file, property.Options{})
//
// A property is a loaded file whose Property is not nil; see [scenario.Property] for
// the format. A case is made of choices: [Check] draws them from a seed, and writes an
// ordinary scenario file from what was chosen, which is loaded and run like any other. So
// what is found is a file that fails by itself. Always choosing the first makes the simplest
// case; a case that fails is shrunk by making fewer and smaller choices.
//
// The package is pure: it reads no clock, and stops when its caller says so.
package property
