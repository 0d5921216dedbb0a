// Package yardstick compares a benchmark with something simple that is measured in the same
// run: times depend on the machine and on what else it is doing, but their ratio hardly
// does.
package yardstick
