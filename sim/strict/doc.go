// Package strict reads YAML files that people write. For everything that is wrong with one
// it says where it is, what is wrong and what is allowed.
//
//	root, problem := strict.Parse(source, "a scenario", "")
//	d := strict.Decoder{Sources: strict.Sources{"": source}, Where: map[string]strict.Pos{}}
//	d.Value(root, &file, "")
//	err := strict.Failed("a.scenario.yaml", d.Sources, d.Problems)
//
// [Parse] gives the nodes of a text: one document, UTF-8, nested no deeper than
// [DepthMax]. A [Decoder] reads nodes into values by their types; a type with a form of
// its own is a [Reader]. A key that is unknown or given twice, a merge key, a tag, a value
// of another type are problems, each with its place; none of them ends the reading.
// [Error] words all problems of a file.
//
// Scenarios and properties, the configuration and the front matter of skills are read
// here, so no other package imports the YAML library. The package imports nothing of
// shelly but fsm/wording: it is a leaf, and the one below sim that runtime may import.
package strict
