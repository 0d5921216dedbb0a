// Package reading says what an answer of a model comes to: which calls it makes, what it says
// beside them, and whether it describes a need.
//
// Small models write all of that as text, in forms of their own. [Understand] tells a call
// that is meant from one that is shown (quoted.go) or cannot be run; [NeedText] puts a need
// in its one form; a [Veil] keeps both from whoever watches the text come. How the forms are
// taken apart is package textcall's.
package reading
