package fsm

// HashEffects is the hash of the effects of one step. The journal keeps it with
// the input, so that a replay by other code is seen to decide otherwise.
func HashEffects(effects []Effect) uint64 {
	x := newHasher(0)
	for _, e := range effects {
		x.str(e.kind())
		e.hash(&x)
	}
	return x.sum()
}

func (e AskBrain) hash(x *hasher) {
	x.word(uint64(e.Call))
	x.word(uint64(e.Handle))
	x.str(e.Session)
	x.str(string(e.Purpose))
	x.word(e.Conversation.Hash)
	x.bool(e.Tools)
}

func (e RunTool) hash(x *hasher) {
	x.word(uint64(e.Call))
	x.word(uint64(e.Handle))
	x.str(e.Session)
	x.str(e.Name)
	x.str(e.Args)
	x.str(string(e.Effects))
	x.str(e.Key)
}

func (e AbortCall) hash(x *hasher) { x.word(uint64(e.Call)) }

func (e Recall) hash(x *hasher) {
	x.word(uint64(e.Call))
	x.word(uint64(e.Handle))
	x.str(e.Session)
	x.str(e.Need)
	x.int(e.TopK)
}

func (e Embed) hash(x *hasher) {
	x.word(uint64(e.Call))
	x.word(uint64(e.Handle))
	x.str(e.Text)
}

func (e Store) hash(x *hasher) {
	x.word(uint64(e.Call))
	x.word(uint64(e.Handle))
	x.str(e.Entry.ID)
	x.str(string(e.Entry.Kind))
	x.str(e.Entry.Session)
	x.word(uint64(e.Entry.At))
	x.str(e.Entry.Summary)
	x.str(e.Entry.Text)
	x.str(string(e.Entry.Vector))
	x.str(e.Entry.Model)
}

func (e SetTimer) hash(x *hasher) {
	x.word(uint64(e.Timer))
	x.word(uint64(e.Handle))
	x.str(string(e.Purpose))
	x.word(uint64(e.After))
}

func (e ClearTimer) hash(x *hasher) { x.word(uint64(e.Timer)) }

func (e Reply) hash(x *hasher) {
	x.word(uint64(e.Handle))
	x.request(e.Request)
	x.str(e.Text)
	x.bool(e.IsError)
}

func (e Notify) hash(x *hasher) {
	x.word(uint64(e.Handle))
	x.request(e.Request)
	x.str(string(e.Notice))
}

func (e Report) hash(x *hasher) {
	x.word(uint64(e.Handle))
	x.str(string(e.Kind))
	x.str(e.Text)
}

func (e Exit) hash(x *hasher) { x.str(string(e.Code)) }

func (x *hasher) request(k RequestKey) {
	x.str(k.Principal)
	x.str(k.Channel)
	x.str(k.ID)
}
