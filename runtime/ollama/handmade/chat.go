package handmade

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"
)

const (
	// contextLength is the longest window that can be requested, in tokens.
	contextLength = 131072
	// headSize is small because attention over a long prompt is the only thing that takes time, and
	// its result is multiplied by zero.
	headSize = 8
	feedSize = 64
	// dimMultiple: the engine prefers widths that are a multiple of this.
	dimMultiple = 64
	// certain is the logit of the successor; all others are 0, so neither sampling nor a repetition
	// penalty picks another token.
	certain = 1000
)

// Token types of GGUF's tokenizer.
const (
	tokenNormal  = 1
	tokenControl = 3
	tokenUser    = 4 // matched in the prompt as a whole, and printed as it is
)

// vocabulary is the tokens of a model. No two have the same text, which the engine would reject.
type vocabulary struct {
	texts []string
	types []int32
	ids   map[string]int
}

func (v *vocabulary) add(text string, kind int32) int {
	id := len(v.texts)
	v.texts, v.types = append(v.texts, text), append(v.types, kind)
	v.ids[text] = id
	return id
}

func (v *vocabulary) has(text string) bool {
	_, ok := v.ids[text]
	return ok
}

// Chat returns the GGUF file of a chat model; the same script gives the same bytes.
func Chat(script Script) ([]byte, error) {
	v := &vocabulary{ids: map[string]int{}}
	for _, c := range byteTokens() {
		v.add(c, tokenNormal)
	}
	plain := len(v.texts) // the tokens before this one are bytes, which all lead to Default
	eos := v.add("<|eos|>", tokenControl)
	keys := slices.Sorted(maps.Keys(script.Steps))
	for _, key := range keys {
		v.add(startToken(key), tokenControl)
	}
	for _, mark := range script.Marks {
		v.add(mark, tokenControl)
	}
	follows := map[int]int{}
	if err := v.chain(follows, 0, Step{Content: script.Default}, eos); err != nil {
		return nil, fmt.Errorf("the default answer: %w", err)
	}
	for _, key := range keys {
		if err := v.chain(follows, v.ids[startToken(key)], script.Steps[key], eos); err != nil {
			return nil, fmt.Errorf("step %s: %w", key, err)
		}
	}
	return llama(v, plain, eos, follows), nil
}

// chain adds a step's text as tokens that follow one another after start.
func (v *vocabulary) chain(follows map[int]int, start int, s Step, eos int) error {
	parts, ok := v.split(s.text(), map[string]bool{})
	if !ok || len(parts) == 0 {
		return fmt.Errorf("%q cannot be cut into tokens that no other step has; write it differently", s.text())
	}
	last, first := start, len(v.texts)
	for _, part := range parts {
		follows[last] = v.add(part, tokenUser)
		last = follows[last]
	}
	follows[last] = eos
	if s.Loop {
		follows[last] = first
	}
	return nil
}

// The length of a piece in bytes: what is tried first, and the limits. Single bytes are tokens
// already.
const (
	pieceBytes    = 12
	pieceBytesMin = 2
	pieceBytesMax = 64
)

// split cuts text into pieces that are not tokens yet, because each token has only one successor.
// It tries the lengths nearest to pieceBytes first, and backtracks when it gets stuck.
func (v *vocabulary) split(text string, taken map[string]bool) ([]string, bool) {
	if text == "" {
		return nil, true
	}
	for i := range 2 * pieceBytesMax {
		n := pieceBytes + (i+1)/2 // 12, 11, 13, 10, …
		if i%2 == 1 {
			n = pieceBytes - (i+1)/2
		}
		if n < pieceBytesMin || n > min(len(text), pieceBytesMax) || n < len(text) && !utf8.RuneStart(text[n]) {
			continue
		}
		part := text[:n]
		if taken[part] || v.has(part) {
			continue
		}
		taken[part] = true
		if rest, ok := v.split(text[n:], taken); ok {
			return append([]string{part}, rest...), true
		}
		delete(taken, part)
	}
	return nil, false
}

// llama writes the table of successors as a model.
func llama(v *vocabulary, plain, eos int, follows map[int]int) []byte {
	n := len(v.texts)
	width := (1 + n - plain + dimMultiple - 1) / dimMultiple * dimMultiple
	// place is the one dimension of a token's embedding that is not zero; all bytes share the
	// first.
	place := func(id int) int { return max(id-plain+1, 0) }
	embedding, output := zeros("token_embd.weight", width, n), zeros("output.weight", width, n)
	for id := range n {
		embedding.data[id*width+place(id)] = 1
	}
	// The norm before the output scales a one-hot vector by the root of its width.
	weight := float32(certain / math.Sqrt(float64(width)))
	for from, to := range follows {
		output.data[to*width+place(from)] = weight
	}

	f := &file{tensors: []tensor{
		embedding,
		filled("blk.0.attn_norm.weight", 1, width),
		zeros("blk.0.attn_q.weight", width, headSize),
		zeros("blk.0.attn_k.weight", width, headSize),
		zeros("blk.0.attn_v.weight", width, headSize),
		zeros("blk.0.attn_output.weight", headSize, width),
		filled("blk.0.ffn_norm.weight", 1, width),
		zeros("blk.0.ffn_gate.weight", width, feedSize),
		zeros("blk.0.ffn_up.weight", width, feedSize),
		zeros("blk.0.ffn_down.weight", feedSize, width),
		filled("output_norm.weight", 1, width),
		output,
	}}
	f.general("llama", "handmade chat")
	f.set("llama.block_count", 1)
	f.set("llama.context_length", contextLength)
	f.set("llama.embedding_length", width)
	f.set("llama.feed_forward_length", feedSize)
	f.set("llama.attention.head_count", 1)
	f.set("llama.attention.head_count_kv", 1)
	f.set("llama.attention.key_length", headSize)
	f.set("llama.attention.value_length", headSize)
	f.set("llama.attention.layer_norm_rms_epsilon", 1e-6)
	f.set("llama.rope.dimension_count", headSize)
	f.set("llama.rope.freq_base", 10000.0)
	f.set("llama.vocab_size", n)
	f.set("tokenizer.ggml.model", "gpt2")
	f.set("tokenizer.ggml.pre", "gpt-2")
	f.set("tokenizer.ggml.tokens", v.texts)
	f.set("tokenizer.ggml.token_type", v.types)
	f.set("tokenizer.ggml.merges", []string{})
	f.set("tokenizer.ggml.bos_token_id", eos)
	f.set("tokenizer.ggml.eos_token_id", eos)
	f.set("tokenizer.ggml.add_bos_token", false)
	f.set("tokenizer.ggml.add_eos_token", false)
	return f.bytes()
}

// general sets what every model says about itself.
func (f *file) general(architecture, name string) {
	f.set("general.architecture", architecture)
	f.set("general.name", name)
	f.set("general.type", "model")
	f.set("general.file_type", tensorFloat32)
	f.set("general.alignment", alignment)
}

// byteTokens returns the printable character that the gpt2 tokenizer writes for each byte: the byte
// itself if it is printable, otherwise the next character from U+0100 on.
func byteTokens() []string {
	tokens, next := make([]string, 256), rune(0x100)
	for b := range rune(256) {
		switch {
		case b >= '!' && b <= '~', b >= 0xA1 && b <= 0xAC, b >= 0xAE:
			tokens[b] = string(b)
		default:
			tokens[b] = string(next)
			next++
		}
	}
	return tokens
}
