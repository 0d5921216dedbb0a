// Package offer chooses which tools a model call shows whole, and how it names the others
// (TOL-60): a model with a small window cannot read five hundred schemas before each answer.
// What is chosen is kept with the session. Nothing here depends on anything but the
// configuration and what the session has used.
package offer
