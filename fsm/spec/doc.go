// Package spec ties SPEC.md to the code: it prints what SPEC.md generates from
// package fsm, and it finds where each rule is implemented, tested and played.
//
//	md, err := fs.ReadFile(fsys, spec.File)
//	md, err = spec.Update(md)               // splice the generated blocks
//	problems, err := spec.Check(fsys)       // drift, unknown rules, uncited rules
//	e, err := spec.Explain(fsys, "LIF-3")   // one rule in all its places
//	err = e.Print(os.Stdout)
//
// A rule is a paragraph of SPEC.md that begins with its id in bold: three capital
// letters, a dash and a number. The letters are its family.
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
// A _test.go file is a test, and so is a package whose folder's name ends in
// "test". Ids in SPEC.md itself cite nothing. Folders that begin with a dot or an
// underscore, testdata but for the tests named, and this package, whose examples
// are no citations, are left out.
//
// The package reads files through an fs.FS rooted at the project and writes none.
package spec
