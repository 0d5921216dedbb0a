package judge

import (
	"slices"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim"
	"shelly/sim/scenario/data"
	"shelly/sim/server"
)

// servedMembers say how the model's server has served a call; none where it has not
// (SIM-20).
func servedMembers(v server.Served) []data.Member {
	if v.ID == 0 {
		return nil
	}
	return []data.Member{
		data.With("sent", data.Int(v.Prompt)), data.With("read", data.Int(v.Read)), data.With("written", data.Int(v.Written)),
		data.With("waited", data.Duration(v.Begun-v.Asked)),
		data.With("first_word", data.Duration(v.First-v.Asked)), data.With("takes", data.Duration(v.Last-v.Asked)),
	}
}

// servedReply says what the calls for a request have cost, and when the first word of
// an answer to it came.
func (j *judgement) servedReply(q engine.Request, from fsm.Millis) []data.Member {
	u := j.result.Usage(func(a sim.Asked) bool { return a.Ask.Handle == q.Handle })
	if u.Calls == 0 {
		return nil
	}
	members := []data.Member{data.With("sent", data.Int(u.Sent)), data.With("read", data.Int(u.Read)), data.With("written", data.Int(u.Written))}
	if first, ok := j.result.FirstWord(q); ok {
		members = append(members, data.With("first_word", data.Duration(first-from)))
	}
	return members
}

// tokensValue is what the model calls have cost, all together and by session.
func tokensValue(r *sim.Result) data.Value {
	v := data.Map("", usageMembers(r.Usage(func(sim.Asked) bool { return true }))...)
	var names []string
	for _, a := range r.Asked {
		if !slices.Contains(names, a.Ask.Session) {
			names = append(names, a.Ask.Session)
		}
	}
	sessions := data.Map("")
	for _, name := range names {
		u := r.Usage(func(a sim.Asked) bool { return a.Ask.Session == name })
		sessions.Members = append(sessions.Members, data.With(name, data.Map("", usageMembers(u)...)))
	}
	v.Members = append(v.Members, data.With("sessions", sessions))
	return v
}

func usageMembers(u sim.Usage) []data.Member {
	return []data.Member{
		data.With("calls", data.Int(u.Calls)), data.With("sent", data.Int(u.Sent)), data.With("read", data.Int(u.Read)),
		data.With("written", data.Int(u.Written)), data.With("least", data.Int(u.Least)),
		data.With("ratio", hundredths(u.Ratio())), data.With("takes", data.Duration(u.Takes)),
	}
}

// hundredths is a number of hundredths as a decimal.
func hundredths(n int) data.Value {
	return data.Value{Kind: data.NumberKind, Text: strconv.FormatFloat(float64(n)/100, 'f', -1, 64)}
}
