//go:build failpoint

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/channel"
	"shelly/runtime/channel/webhook"
	"shelly/runtime/comm/client"
)

// asHook is a request that comes as a signed message, and whose answer goes to a receiver.
const asHook killAs = "hook"

// hookChannel has the chat that requests write to as well.
const hookChannel = "desk"

// killDesk is the receiver of a webhook's messages over a run.
type killDesk struct {
	key webhook.Key

	mu   sync.Mutex
	more *sync.Cond
	got  []webhook.Body
}

func newKillDesk() *killDesk {
	d := &killDesk{key: webhook.Key("the key of the desk of a test")}
	d.more = sync.NewCond(&d.mu)
	return d
}

// ServeHTTP takes a message.
func (d *killDesk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	var b webhook.Body
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if id, wrong := webhook.Verify(r.Header, []webhook.Key{d.key}, time.Now(), text); err != nil || wrong != nil || id != b.ID {
		w.WriteHeader(http.StatusUnauthorized) // it is sent again for ever, and the test ends
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.got = append(d.got, b)
	d.more.Broadcast()
}

// answer waits for that of a message.
func (d *killDesk) answer(ctx context.Context, id string, gone <-chan struct{}) (string, error) {
	ended, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-gone:
			cancel()
		case <-ended.Done():
		}
	}()
	defer context.AfterFunc(ended, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.more.Broadcast()
	})()
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		for _, b := range d.got {
			if b.Type == channel.KindAnswer && b.Re == id {
				return b.Text, nil
			}
		}
		if ended.Err() != nil {
			return "", errKilled
		}
		d.more.Wait()
	}
}

// killHooks are conversations in two chats.
func killHooks(d *killDesk) [][]*killAsk {
	ask := func(chat, id, text string) *killAsk {
		return &killAsk{id: id, session: hookChannel + ":" + chat, text: text, as: asHook, desk: d}
	}
	return [][]*killAsk{
		{ask("one", "w1", "run w1"), ask("one", "w2", "tell w2"), ask("one", "w3", "run w3")},
		{ask("two", "v1", "tell v1"), ask("two", "v2", "run v2")},
	}
}

// newKilledHook is newKilled with a daemon that talks through a webhook.
func newKilledHook(t testing.TB) *killed {
	t.Helper()
	d := newKillDesk()
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	key := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(key, d.key, 0o600))
	k := newKilled(t, append(killArgs(), "--set", fmt.Sprintf(`channels={%s: {kind: webhook, key_from: [%q], url: %q, allow_addresses: [%q], allow: ["*"], per_minute: 600}}`,
		hookChannel, key, server.URL, server.Listener.Addr()))...)
	k.desk, k.talks = d, func() [][]*killAsk { return killHooks(d) }
	return k
}

// overHook sends a message, and waits for its answer.
func (a *killAsk) overHook(ctx context.Context, data string, l life) error {
	at, err := client.ReadEndpoint(data)
	if err != nil {
		return errKilled
	}
	body, err := json.Marshal(map[string]string{"text": a.text, "chat": strings.TrimPrefix(a.session, hookChannel+":")})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+at.HTTP+channel.ListRoute+"/"+hookChannel, bytes.NewReader(body))
	if err != nil {
		return err
	}
	webhook.Sign(r.Header, a.desk.key, a.id, time.Now(), body)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return errKilled
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return errKilled
	}
	if resp.StatusCode == http.StatusServiceUnavailable { // the channel is not there yet, or no longer
		select {
		case <-l.ended:
			return errKilled
		case <-time.After(resendAfter):
			return a.overHook(ctx, data, l)
		}
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %s", resp.Status, text)
	}
	a.acknowledged = true
	a.reply, err = a.desk.answer(ctx, a.id, l.ended)
	return err
}

// hookKey is the key of its request.
func (a *killAsk) hookKey() fsm.RequestKey {
	return fsm.RequestKey{Principal: channel.Principal, Channel: hookChannel, ID: a.id}
}

// check: each answer and each message has come, and a repeat is the same. It returns how many
// repeats there were.
func (d *killDesk) check(t testing.TB) (repeats int) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	byID, ids := map[string]webhook.Body{}, map[string]string{}
	for _, b := range d.got {
		if first, known := byID[b.ID]; known {
			if repeats++; first != b {
				t.Errorf("%s is sent again as %+v, and was %+v", b.ID, b, first)
			}
			continue
		}
		what := string(b.Type) + " " + b.Re + b.Text
		if other := ids[what]; other != "" {
			t.Errorf("%s is sent as %s and as %s", what, other, b.ID)
		}
		byID[b.ID], ids[what] = b, b.ID
	}
	for _, conversation := range killHooks(d) {
		for _, a := range conversation {
			news := string(channel.KindMessage) + " news of " + a.id
			if strings.HasPrefix(a.text, "run ") && ids[news] == "" {
				t.Errorf("%q has not come", news)
			}
		}
	}
	return repeats
}

// The daemon is killed with SIGKILL at each named point that a channel comes to, at the first hits
// of those of the channel. Started again, each message is one request, each answer and each
// message to a chat comes, and what comes again has the id that it had (CHN-3, CHN-8).
func TestKilledAtANamedPointAChannelLosesNothing(t *testing.T) {
	var repeats atomic.Int64
	c := campaign{t: t, world: newKilledHook, then: func(t testing.TB, k *killed) { repeats.Add(int64(k.desk.check(t))) }}
	hits := c.world(t).hits()
	specs := firstHits(hits, 3)
	for point, n := range hits { // order-free: each is another run
		for hit := 2; hit <= min(n, 6) && strings.HasPrefix(point, "channel."); hit++ {
			specs = append(specs, fmt.Sprintf("%s:%d", point, hit))
		}
	}
	c.at(specs)
	t.Logf("%d repeats", repeats.Load())
	if repeats.Load() == 0 {
		t.Error("no message was repeated")
	}
}
