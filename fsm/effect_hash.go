package fsm

// HashEffects is the hash of the effects of one step. The journal keeps it with
// the input, so that a replay by other code is seen to decide differently.
func HashEffects(effects []Effect) uint64 {
	x := NewHasher(0)
	for _, e := range effects {
		x.Str(EffectKind(e))
		e.hash(&x)
	}
	return x.Sum()
}

func (e AskBrain) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
	x.Str(string(e.Purpose))
	x.Str(e.System)
	x.Word(e.Conversation.Hash)
	x.Str(string(e.Tools))
	x.Int(e.Options.Temperature)
	x.Int(e.Options.MaxTokens)
	x.Int(e.Tokens)
	e.Offer.hash(x)
	if e.ThinkTokens != 0 || e.NoThinking { // older records have neither
		x.Int(e.ThinkTokens)
		x.Bool(e.NoThinking)
	}
}

// hash leaves Approved out: older builds have started approved calls without it.
func (e RunTool) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
	x.Str(e.Name)
	x.Str(e.Args)
	x.Str(string(e.Effects))
	x.Origin(e.Origin)
	x.Int(e.Attempt)
	x.Str(e.Key)
	if e.Keep != (Keep{}) { // older builds have hashed no such share
		x.Int(e.Keep.Tokens)
		x.Str(e.Keep.Owner)
	}
}

func (e RunProbe) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
	x.Str(e.Name)
	x.Str(e.Args)
	x.Str(e.Key)
	x.Int(e.Attempt)
}

func (e AbortCall) hash(x *Hasher) { x.Word(uint64(e.Call)) }

func (e Recall) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
	x.Str(e.Need)
	x.Int(e.TopK)
	x.Bool(e.Own)
	if e.Spare { // older builds have hashed no such choice
		x.Bool(e.Spare)
	}
}

func (e Embed) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Text)
	if e.Spare {
		x.Bool(e.Spare)
	}
}

func (e Store) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Entry.ID)
	x.Str(string(e.Entry.Kind))
	x.Str(e.Entry.Session)
	x.Word(uint64(e.Entry.At))
	x.Str(e.Entry.Summary)
	x.Str(e.Entry.Text)
	x.Str(string(e.Entry.Vector))
	x.Str(e.Entry.Model)
}

func (e SetTimer) hash(x *Hasher) {
	x.Word(uint64(e.Timer))
	x.Word(uint64(e.Handle))
	x.Str(string(e.Purpose))
	x.Word(uint64(e.After))
}

func (e ClearTimer) hash(x *Hasher) { x.Word(uint64(e.Timer)) }

func (e Reply) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Request(e.Request)
	x.Str(e.Text)
	x.Bool(e.IsError)
	x.Str(string(e.Outcome))
}

func (e Notify) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Request(e.Request)
	x.Str(string(e.Notice))
	x.Int(e.Ahead)
}

func (e Report) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Str(string(e.Kind))
	x.Str(e.Text)
}

func (e Exit) hash(x *Hasher) { x.Str(string(e.Code)) }

func (e LoadSession) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
}

func (e SaveSession) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Session)
	x.Str(e.Turn)
	x.Session(e.State)
	x.Messages(e.Archive)
	x.Strs(e.Notes)
	x.Bool(e.Memory)
}

func (e LoadSkill) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Skill)
	x.Str(e.Reference)
}

func (e ReadText) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Owner)
	x.Str(e.Ref)
	x.Int(e.From)
	x.Int(e.Tokens)
}

func (e SendMessage) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Str(e.Key)
	x.Str(e.Session)
	x.Origin(e.To)
	x.Str(e.Text)
	x.Bool(e.IsError)
}

func (e ArmSchedule) hash(x *Hasher) {
	x.Str(e.Schedule)
	x.Word(uint64(e.Every))
	x.Str(e.Cron)
	x.Word(uint64(e.Once))
	x.Word(uint64(e.From))
	if e.Zone.Name != "" { // an older build's had none
		e.Zone.hash(x)
	}
}

func (z *Zone) hash(x *Hasher) {
	x.Str(z.Name)
	x.Word(uint64(z.Offset))
	for _, c := range z.Changes {
		x.Word(uint64(c.At))
		x.Word(uint64(c.Offset))
	}
}

func (e DisarmSchedule) hash(x *Hasher) { x.Str(e.Schedule) }

func (e AskPerson) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Request(e.Request)
	x.Str(e.Session)
	x.Str(string(e.Question))
	x.Str(e.Tool)
	x.Str(e.Args)
	x.Str(e.Key)
	x.Str(e.Text)
}

func (e Audit) hash(x *Hasher) {
	x.Word(uint64(e.Handle))
	x.Str(e.Session)
	x.Str(e.Key)
	x.Str(e.Tool)
	x.Str(e.Args)
	x.Str(e.Message)
	x.Str(e.Result)
	x.Bool(e.Failed)
	x.Int(e.Attempts)
	x.Word(uint64(e.Duration))
	if e.Probe != "" { // older builds have hashed no such answer
		x.Str(string(e.Probe))
	}
	if e.Contained != "" { // records of before have none
		x.Str(e.Contained)
	}
}

func (x *Hasher) asked(a Asked) {
	x.Word(uint64(a.Call))
	x.Word(uint64(a.Handle))
}

// Origin takes a chat in.
func (x *Hasher) Origin(o Origin) {
	x.Str(o.Channel)
	x.Str(o.Chat)
}

// Strs takes texts in, in their order.
func (x *Hasher) Strs(list []string) {
	x.Int(len(list))
	for _, s := range list {
		x.Str(s)
	}
}

// Messages takes messages in, in their order.
func (x *Hasher) Messages(list []Message) {
	x.Int(len(list))
	for _, m := range list {
		x.Message(m)
	}
}

// Session takes a session in, whole.
func (x *Hasher) Session(s Session) {
	x.Word(s.Version)
	x.Messages(s.History)
	x.Messages(s.Pending)
	x.Int(len(s.Skills))
	for _, k := range s.Skills {
		x.Str(k.Name)
		x.Str(k.Reference)
		x.Str(k.Text)
	}
	s.Offer.hash(x)
	x.Int(s.Ratio)
	x.Str(s.Memory)
	x.Str(s.MemoryHash)
	if s.LastText > 0 { // older builds have hashed no such texts
		x.Int(s.LastText)
		for _, t := range s.Texts {
			x.Int(t.Number)
			x.Str(t.Ref)
			x.Int(t.Bytes)
			x.Int(t.Tokens)
		}
	}
}

// Request takes a request's key in.
func (x *Hasher) Request(k RequestKey) {
	x.Str(k.Principal)
	x.Str(k.Channel)
	x.Str(k.ID)
}
