package choose

import (
	"errors"
	"hash/fnv"
	"strconv"
	"strings"

	"shelly/fsm/wording"
)

// Shard is one of several parts that cases are divided into (SCN-37). The zero
// value holds all.
type Shard struct {
	Index int // from 1
	Count int
}

// ShardsMax is how many parts there can be.
const ShardsMax = 10_000

// ParseShard reads a shard written as INDEX/COUNT.
func ParseShard(text string) (Shard, error) {
	left, right, _ := strings.Cut(text, "/")
	index, wrongIndex := strconv.Atoi(left)
	count, wrongCount := strconv.Atoi(right)
	switch {
	case wrongIndex != nil || wrongCount != nil:
		return Shard{}, errors.New("wants I/N such as 1/3, not " + wording.Word(text))
	case count < 1 || count > ShardsMax:
		return Shard{}, errors.New("wants from 1 to " + strconv.Itoa(ShardsMax) + " parts, not " + right)
	case index < 1 || index > count:
		return Shard{}, errors.New("wants a part from 1 to " + right + ", not " + left)
	}
	return Shard{index, count}, nil
}

// Has reports whether the case of a name is in the part. Only the name decides, so
// that it is the same part on every machine, whatever other cases there are.
func (s Shard) Has(name string) bool {
	if s.Count == 0 {
		return true
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()%uint64(s.Count) == uint64(s.Index-1)
}
