package fsm

// HashEffects is the hash of the effects of one step. The journal keeps it with
// the input, so that a replay by other code is seen to decide otherwise.
func HashEffects(effects []Effect) uint64 {
	x := newHasher(0)
	for _, e := range effects {
		x.str(EffectKind(e))
		e.hash(&x)
	}
	return x.sum()
}

func (e AskBrain) hash(x *hasher) {
	x.asked(e.Asked)
	x.str(e.Session)
	x.str(string(e.Purpose))
	x.str(e.System)
	x.word(e.Conversation.Hash)
	x.str(string(e.Tools))
	x.int(e.Options.Temperature)
	x.int(e.Options.MaxTokens)
	x.int(e.Tokens)
}

func (e RunTool) hash(x *hasher) {
	x.asked(e.Asked)
	x.str(e.Session)
	x.str(e.Name)
	x.str(e.Args)
	x.str(string(e.Effects))
	x.origin(e.Origin)
	x.int(e.Attempt)
	x.str(e.Key)
}

func (e AbortCall) hash(x *hasher) { x.word(uint64(e.Call)) }

func (e Recall) hash(x *hasher) {
	x.asked(e.Asked)
	x.str(e.Session)
	x.str(e.Need)
	x.int(e.TopK)
	x.bool(e.Own)
}

func (e Embed) hash(x *hasher) {
	x.asked(e.Asked)
	x.str(e.Text)
}

func (e Store) hash(x *hasher) {
	x.asked(e.Asked)
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
	x.str(string(e.Outcome))
}

func (e Notify) hash(x *hasher) {
	x.word(uint64(e.Handle))
	x.request(e.Request)
	x.str(string(e.Notice))
	x.int(e.Ahead)
}

func (e Report) hash(x *hasher) {
	x.word(uint64(e.Handle))
	x.str(string(e.Kind))
	x.str(e.Text)
}

func (e Exit) hash(x *hasher) { x.str(string(e.Code)) }

func (e LoadSession) hash(x *hasher) {
	x.asked(e.Asked)
	x.str(e.Session)
}

func (e SaveSession) hash(x *hasher) {
	x.asked(e.Asked)
	x.str(e.Session)
	x.str(e.Turn)
	x.session(e.State)
	x.messages(e.Archive)
	x.strs(e.Notes)
	x.bool(e.Memory)
}

func (e LoadSkill) hash(x *hasher) {
	x.asked(e.Asked)
	x.str(e.Skill)
	x.str(e.Reference)
}

func (e SendMessage) hash(x *hasher) {
	x.word(uint64(e.Handle))
	x.str(e.Key)
	x.str(e.Session)
	x.origin(e.To)
	x.str(e.Text)
	x.bool(e.IsError)
}

func (e ArmSchedule) hash(x *hasher) {
	x.str(e.Schedule)
	x.word(uint64(e.Every))
	x.str(e.Cron)
	x.word(uint64(e.Once))
	x.word(uint64(e.From))
}

func (e DisarmSchedule) hash(x *hasher) { x.str(e.Schedule) }

func (e AskPerson) hash(x *hasher) {
	x.word(uint64(e.Handle))
	x.request(e.Request)
	x.str(e.Session)
	x.str(string(e.Question))
	x.str(e.Tool)
	x.str(e.Args)
	x.str(e.Key)
	x.str(e.Text)
}

func (e Audit) hash(x *hasher) {
	x.word(uint64(e.Handle))
	x.str(e.Session)
	x.str(e.Key)
	x.str(e.Tool)
	x.str(e.Args)
	x.str(e.Message)
	x.str(e.Result)
	x.bool(e.Failed)
	x.int(e.Attempts)
	x.word(uint64(e.Duration))
}

func (x *hasher) asked(a Asked) {
	x.word(uint64(a.Call))
	x.word(uint64(a.Handle))
}

func (x *hasher) origin(o Origin) {
	x.str(o.Channel)
	x.str(o.Chat)
}

func (x *hasher) strs(list []string) {
	x.int(len(list))
	for _, s := range list {
		x.str(s)
	}
}

func (x *hasher) messages(list []Message) {
	x.int(len(list))
	for _, m := range list {
		x.message(m)
	}
}

func (x *hasher) session(s Session) {
	x.word(s.Version)
	x.messages(s.History)
	x.messages(s.Pending)
	x.int(len(s.Skills))
	for _, k := range s.Skills {
		x.str(k.Name)
		x.str(k.Reference)
		x.str(k.Text)
	}
	x.int(s.Ratio)
	x.str(s.Memory)
	x.str(s.MemoryHash)
}

func (x *hasher) request(k RequestKey) {
	x.str(k.Principal)
	x.str(k.Channel)
	x.str(k.ID)
}
