package sim

import (
	"encoding/binary"
	"hash/fnv"

	"shelly/fsm"
)

// hashSteps is the hash of a trace: every input as the journal writes it, and
// the hash of what it caused. Two runs with one hash did the same.
func hashSteps(steps []Step) (uint64, error) {
	h := fnv.New64a()
	for _, s := range steps {
		in, err := fsm.MarshalInput(s.Input)
		if err != nil {
			return 0, err
		}
		h.Write(in)
		sum := fsm.HashEffects(s.Effects)
		h.Write(binary.BigEndian.AppendUint64(nil, sum))
	}
	return h.Sum64(), nil
}
