// Package offer chooses which tools a model call shows whole, and how it names the others
// (TOL-60): a model with a small window cannot read five hundred schemas before each
// answer. The choice is kept with the session. It depends only on the configuration and on
// what the session has used.
package offer
