// Package reading says what an answer of a model means: which calls it makes, what it says
// apart from them, and whether it describes a need.
//
// Small models write all of that as text, in forms of their own. [Understand] tells a call
// that is meant from one that is only shown (quoted.go) or cannot be run, and corrects its names and
// arguments (arguments.go); [NeedText] puts a
// need in its one form; a [Veil] hides both from people who watch the text arrive. Package
// textcall parses the forms.
package reading
