package sandbox

import (
	"context"
	"errors"
)

// Stage returns at once, but for a process that [Keeper.Run] has started.
func Stage() {}

var errUnbuilt = errors.New("not built yet")

// Open takes the first rung that holds.
func Open(_ context.Context, o Options) (*Keeper, error) {
	k := &Keeper{options: o}
	for _, r := range Rungs() {
		k.tried = append(k.tried, Attempt{Rung: r, Err: errUnbuilt})
	}
	return k, nil
}

func (k *Keeper) runContained(context.Context, Spec) (End, error) { return End{}, errUnbuilt }

// Clear removes what calls of a killed daemon have left in a scratch folder.
func Clear(string) error { return nil }
