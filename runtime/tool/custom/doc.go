// Package custom makes tools from programs that the operator has named in the
// configuration (TOL-80 to TOL-82), so that a new tool needs no Go code.
//
// A program gets the arguments of a call as one JSON object on its standard input and
// writes the result to its standard output. It runs in the same sandbox as exec.
package custom
