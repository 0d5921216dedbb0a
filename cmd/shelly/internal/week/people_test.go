package week_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"shelly/fsm"
	"shelly/runtime/daemon"
)

// reader is a model that answers at once: it calls the tools that a request names, one by one,
// and then answers. One call in seventeen fails. A request and the memory may call it
// concurrently.
type reader struct{ asked atomic.Int64 }

// errBrain is the failure of a model.
type errBrain struct{ error }

// BrainClass returns the class of the failure.
func (errBrain) BrainClass() fsm.BrainClass { return fsm.BrainUnreachable }

const failsEvery = 17

// Chat implements [daemon.Brain].
func (r *reader) Chat(_ context.Context, ask fsm.AskBrain, _ []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	asked := r.asked.Add(1)
	if asked%failsEvery == 0 {
		return fsm.BrainAnswered{}, errBrain{errors.New("the model is away")}
	}
	said, results := "", 0
	for _, m := range ask.Conversation.Messages {
		switch m.Role {
		case fsm.RoleUser:
			said, results = m.Text, 0
		case fsm.RoleTool:
			results++
		}
	}
	tokens := fsm.Tokens{Prompt: ask.Tokens, Answer: 40}
	if ask.Purpose == fsm.PurposeAnswer {
		if calls := callsFor(said); results < len(calls) {
			call := calls[results]
			call.ID = fmt.Sprint("c", asked)
			return fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{call}, Tokens: tokens}, nil
		}
	}
	text := fmt.Sprintf("Number %d: %s", asked, prose(uint64(asked), 400))
	stream(daemon.Piece{Text: text})
	return fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: text, Tokens: tokens}, nil
}

// callsFor returns the calls that a request such as "… do: read:A list:. write:B" asks for.
func callsFor(said string) (calls []fsm.ToolCall) {
	at := strings.LastIndex(said, "do: ")
	if at < 0 {
		return nil
	}
	for word := range strings.FieldsSeq(said[at+len("do: "):]) {
		verb, name, _ := strings.Cut(word, ":")
		call := fsm.ToolCall{Name: "read_file", Args: fmt.Sprintf(`{"path":%q}`, name)}
		switch verb {
		case "read":
		case "list":
			call = fsm.ToolCall{Name: "list_dir", Args: `{"path":"."}`}
		case "write":
			call = fsm.ToolCall{Name: "write_file", Args: fmt.Sprintf(`{"path":%q,"content":%q}`, name, said[:min(len(said), 200)]+prose(hash(said), 2000))}
		default: // malformed arguments
			call.Args = `{"path":`
		}
		calls = append(calls, call)
	}
	return calls
}

func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}

// prose returns a text of the given size in a person's words; their order is different for each
// seed.
func prose(seed uint64, size int) string {
	rng := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "word%d ", rng.IntN(3000))
	}
	return b.String()
}

// logText returns a text of the given size that looks like a log.
func logText(rng *rand.Rand, size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, "2026-01-%02d 10:%02d:%02d web%d nginx[%d]: GET /item/%d 200 in %d ms\n", 1+n%28, n%60, n*7%60, n%5, 300+n%9, rng.IntN(90000), rng.IntN(400))
	}
	return b.String()
}

// vectors is an embedding model.
type vectors struct{}

const dimensions = 256

// Embed implements [daemon.Embedder].
func (vectors) Embed(_ context.Context, text string) ([]byte, string, error) {
	rng := rand.New(rand.NewPCG(hash(text), 3))
	var v []byte
	for range dimensions {
		v = binary.LittleEndian.AppendUint32(v, uint32(0x3c000000|rng.Uint32()>>9|rng.Uint32()&0x80000000))
	}
	return v, "week", nil
}

// sizes are the sizes of the files that are read. Each entry is equally likely, so most files are
// small.
var sizes = []int{300, 800, 1500, 3000, 3000, 6000, 12_000, 24_000, 60_000}

// filesMax is the number of files. Their content keeps changing.
const filesMax = 40

// request returns a person's next request, and writes the files that it is about.
func request(rng *rand.Rand, workspace string) (string, error) {
	var want []string
	for range 1 + rng.IntN(4) {
		name := fmt.Sprintf("log-%d.txt", rng.IntN(filesMax))
		switch n := rng.IntN(20); {
		case n == 0:
			want = append(want, "list:.")
		case n == 1:
			want = append(want, "wrong:args")
		case n < 5:
			want = append(want, fmt.Sprintf("write:note-%d.md", rng.IntN(filesMax)))
		default:
			if err := os.WriteFile(filepath.Join(workspace, name), []byte(logText(rng, sizes[rng.IntN(len(sizes))])), 0o600); err != nil {
				return "", err
			}
			want = append(want, "read:"+name)
		}
	}
	return prose(rng.Uint64(), 120) + "do: " + strings.Join(want, " "), nil
}
