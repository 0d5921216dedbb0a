package acp

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/front/rpc"
	"shelly/runtime/front/wire"
)

const titleBytes = 80

// list lists the sessions that were begun in an editor, the latest first.
func (a *agent) list(params wire.Value) rpc.Work {
	return func(ctx context.Context) (rpc.Answer, error) {
		status, err := a.daemon.Status(ctx)
		if err != nil {
			return rpc.Answer{}, worded(err)
		}
		all, err := a.begun(ctx)
		if err != nil {
			return rpc.Answer{}, worded(err)
		}
		if from := params.Member("cursor").Text; from != "" {
			at := slices.IndexFunc(all, func(t thread) bool { return t.id == from })
			if at < 0 {
				return rpc.Answer{}, rpc.Errorf(rpc.CodeParams, "the cursor is not one that was given out")
			}
			all = all[at+1:]
		}
		cwd := cmp.Or(params.Member("cwd").Text, status.Workspace)
		if _, inside := within(cmp.Or(status.Workspace, cwd), cwd); !inside {
			all = nil // no session can be opened there
		}
		body := listed{Sessions: []sessionInfo{}}
		if len(all) > pageMax {
			all, body.Next = all[:pageMax], all[pageMax-1].id
		}
		for _, t := range all {
			info := sessionInfo{ID: t.id, Cwd: cwd, Title: title(t.said), Updated: time.UnixMilli(int64(t.at)).UTC().Format(time.RFC3339)}
			if t.said == "" {
				if first, err := a.daemon.Archive(ctx, t.id, 0, 1); err == nil && len(first) > 0 {
					info.Title = title(first[0].Message.Text)
				}
			}
			body.Sessions = append(body.Sessions, info)
		}
		return rpc.Answer{Result: body}, nil
	}
}

// thread is a session that was begun in an editor.
type thread struct {
	id   string
	at   fsm.Millis // of what was said last
	said string     // first, where the archive does not have it yet
}

// begun returns the threads, the latest first. Until its first turn has ended well, a session has no
// archive, and is known only by its requests: it is found among the latest of these.
func (a *agent) begun(ctx context.Context) ([]thread, error) {
	body, err := a.daemon.Requests(ctx, comm.Wanted{Before: math.MaxUint64, Limit: engine.ReadMax, Client: comm.Principal})
	if err != nil {
		return nil, err
	}
	archived, err := a.daemon.Sessions(ctx) // after the requests: what is archived in between is in both
	if err != nil {
		return nil, err
	}
	at := map[string]int{} // of a session among the threads
	var all []thread
	for _, s := range archived {
		if strings.HasPrefix(s.ID, own) && s.Last > 0 {
			at[s.ID] = len(all)
			all = append(all, thread{id: s.ID, at: s.At})
		}
	}
	known := len(all)
	for _, r := range ofEditors(body.Requests) {
		if !strings.HasPrefix(r.InSession, own) {
			continue
		}
		i, found := at[r.InSession]
		if !found {
			i = len(all)
			at[r.InSession], all = i, append(all, thread{id: r.InSession})
		}
		all[i].at = max(all[i].at, r.Accepted, r.Replied)
		if i >= known {
			all[i].said = cmp.Or(all[i].said, r.Text)
		}
	}
	slices.SortFunc(all, func(x, y thread) int { return cmp.Or(cmp.Compare(y.at, x.at), cmp.Compare(x.id, y.id)) })
	return all, nil
}

// title is the first line of what was said first, without the marks of images before it.
func title(said string) string {
	line, rest, more := strings.Cut(said, "\n")
	for line == imageMark && more {
		line, rest, more = strings.Cut(rest, "\n")
	}
	return wording.Clip(line, titleBytes)
}
