// Package custom makes tools of programs that the operator has named in the
// configuration (TOL-80 to TOL-82), so that nobody has to write Go for one.
//
// A program gets the arguments of a call as one JSON object on its standard input and
// writes the result to its standard output. It runs in the sandbox that exec runs in.
package custom
