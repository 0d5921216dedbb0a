package handmade

// Sizes of the embedding model.
const (
	// EmbeddingDims is the length of its vectors.
	EmbeddingDims = 64

	embedContext = 512 // tokens
	embedHeads   = 2
	embedFeed    = 64
)

// wordStart is what the tokenizer puts before the first piece of a word.
const wordStart = "\u2581"

// Embedding returns the GGUF file of the embedding model, always the same bytes.
func Embedding() []byte {
	v := &vocabulary{ids: map[string]int{}}
	for _, special := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} {
		v.add(special, tokenControl)
	}
	specials := len(v.texts)
	for _, piece := range pieces() {
		v.add(wordStart+piece, tokenNormal)
		v.add(piece, tokenNormal)
	}
	return bert(v, specials)
}

// pieces returns all pairs of letters and every printable character except capitals, which the
// tokenizer turns into lower case.
func pieces() []string {
	var list []string
	for c := '!'; c <= '~'; c++ {
		if c < 'A' || c > 'Z' {
			list = append(list, string(c))
		}
	}
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			list = append(list, string([]rune{a, b}))
		}
	}
	return list
}

// bert writes a model whose result is the mean of its tokens' vectors. (A llama model would not do:
// the engine uses only the last token's state there.)
func bert(v *vocabulary, specials int) []byte {
	n := len(v.texts)
	embedding := zeros("token_embd.weight", EmbeddingDims, n)
	state := uint64(1)
	for i := specials * EmbeddingDims; i < len(embedding.data); i++ {
		embedding.data[i] = float32(int64(splitMix(&state))) / (1 << 63)
	}
	f := &file{tensors: []tensor{
		embedding,
		zeros("token_types.weight", EmbeddingDims, 2),
		zeros("position_embd.weight", EmbeddingDims, embedContext),
	}}
	f.norm("token_embd_norm")
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		f.linear("blk.0."+name, EmbeddingDims, EmbeddingDims)
	}
	f.norm("blk.0.attn_output_norm")
	f.linear("blk.0.ffn_up", EmbeddingDims, embedFeed)
	f.linear("blk.0.ffn_down", embedFeed, EmbeddingDims)
	f.norm("blk.0.layer_output_norm")

	f.general("bert", "handmade embedding")
	f.set("bert.block_count", 1)
	f.set("bert.context_length", embedContext)
	f.set("bert.embedding_length", EmbeddingDims)
	f.set("bert.feed_forward_length", embedFeed)
	f.set("bert.attention.head_count", embedHeads)
	f.set("bert.attention.layer_norm_epsilon", 1e-12)
	f.set("bert.attention.causal", false)
	f.set("bert.pooling_type", 1) // the mean; this key tells the server that this is an embedding model
	f.set("tokenizer.ggml.model", "bert")
	f.set("tokenizer.ggml.tokens", v.texts)
	f.set("tokenizer.ggml.token_type", v.types)
	f.set("tokenizer.ggml.token_type_count", 2)
	f.set("tokenizer.ggml.padding_token_id", v.ids["[PAD]"])
	f.set("tokenizer.ggml.unknown_token_id", v.ids["[UNK]"])
	f.set("tokenizer.ggml.cls_token_id", v.ids["[CLS]"])
	f.set("tokenizer.ggml.bos_token_id", v.ids["[CLS]"])
	f.set("tokenizer.ggml.seperator_token_id", v.ids["[SEP]"]) // the format spells it so
	f.set("tokenizer.ggml.eos_token_id", v.ids["[SEP]"])
	f.set("tokenizer.ggml.mask_token_id", v.ids["[MASK]"])
	return f.bytes()
}

// norm adds a layer norm that scales by 1 and shifts by 0.
func (f *file) norm(name string) {
	f.tensors = append(f.tensors, filled(name+".weight", 1, EmbeddingDims), zeros(name+".bias", EmbeddingDims))
}

// linear adds a layer of zeros.
func (f *file) linear(name string, in, out int) {
	f.tensors = append(f.tensors, zeros(name+".weight", in, out), zeros(name+".bias", out))
}

// splitMix is the generator SplitMix64 (Steele, Lea, Flood 2014).
func splitMix(state *uint64) uint64 {
	*state += 0x9E3779B97F4A7C15
	z := *state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
