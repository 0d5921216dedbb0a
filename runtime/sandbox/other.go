//go:build !linux

package sandbox

import "context"

// Stage does nothing: there are no stages on this system.
func Stage() {}

// Open finds no rung that holds: on this system there is none (TOL-49).
func Open(_ context.Context, o Options) (*Keeper, error) { return refuse(o), nil }

func (k *Keeper) runContained(context.Context, Spec) (End, error) { return End{}, errNone }

// Shows is true: nothing is contained on this system.
func (o *Options) Shows(string) bool { return true }

// Clear does nothing.
func Clear(string) error { return nil }
