package judge

import (
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

// cost is what the calls for a handle have cost.
type cost struct{ sent, read, written int }

// costs are those of the handles for which the server was asked.
func costs(asked []sim.Asked) map[fsm.HandleID]cost {
	var of map[fsm.HandleID]cost
	for i := range asked {
		if a := &asked[i]; a.Served.ID != 0 {
			if of == nil {
				of = map[fsm.HandleID]cost{}
			}
			c := of[a.Ask.Handle]
			of[a.Ask.Handle] = cost{c.sent + a.Served.Prompt, c.read + a.Served.Read, c.written + a.Served.Written}
		}
	}
	return of
}

// servedReply says what the calls for a request have cost, and when the first word of
// an answer to it came.
func (t *timings) servedReply(q engine.Request, from fsm.Millis) []data.Member {
	c, ok := t.costs[q.Handle]
	if !ok {
		return nil
	}
	members := []data.Member{data.With("sent", data.Int(c.sent)), data.With("read", data.Int(c.read)), data.With("written", data.Int(c.written))}
	if first, ok := t.first[q.Handle]; ok {
		members = append(members, data.With("first_word", data.Duration(first-from)))
	}
	return members
}

// tokensValue is what the model calls have cost, all together and by session.
func tokensValue(r *sim.Result) data.Value {
	v := data.Map("", usageMembers(sim.UsageOf(r.Asked))...)
	var names []string
	of := map[string][]sim.Asked{}
	for i := range r.Asked {
		a := &r.Asked[i]
		if of[a.Ask.Session] == nil {
			names = append(names, a.Ask.Session)
		}
		of[a.Ask.Session] = append(of[a.Ask.Session], *a)
	}
	sessions := data.Map("")
	for _, name := range names {
		sessions.Members = append(sessions.Members, data.With(name, data.Map("", usageMembers(sim.UsageOf(of[name]))...)))
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
