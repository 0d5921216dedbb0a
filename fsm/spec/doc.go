// Package spec ties the specification to the code: it prints the parts that are generated
// from package fsm, and it finds where each rule is implemented, tested and played.
//
//	docs, err := spec.Documents(fsys)       // SPEC.md and its parts
//	md, err := docs[0].Update()             // splice the generated blocks
//	problems, err := spec.Check(fsys)       // drift, unknown rules, uncited rules, dead links
//	e, err := spec.Explain(fsys, "LIF-3")   // one rule in all its places
//	err = e.Print(os.Stdout)
//
// The specification is SPEC.md in the project's root and each RULES.md that it links
// to. A rule is a paragraph of one of them that begins with its id in bold: three
// capital letters, a dash and a number. The letters are its family. A paragraph after
// it that begins with *Why*: is the reason for the rule.
//
// A generated block lies between two comments:
//
//	<!-- generated: lifecycle -->
//	…
//	<!-- end -->
//
// A rule is cited by its id
//
//   - in a comment or a string literal of a Go file,
//   - in the name of a Go test: TestABC7… cites rule 7 of family ABC,
//   - in a comment of a command-line test (testdata/**/*.txtar),
//   - under covers in a scenario (scenarios/**/*.yaml).
//
// A _test.go file is a test, and so is a package whose folder's name ends in "test". An id
// in a Markdown file cites nothing, but must be that of a rule. These are left out: folders
// whose names begin with a dot or an underscore, testdata apart from the tests above, and
// this package, whose examples are not citations.
//
// The package reads files through an fs.FS rooted at the project and writes none.
package spec
