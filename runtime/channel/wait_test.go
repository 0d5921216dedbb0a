package channel_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"shelly/fsm/engine"
	"shelly/runtime/channel"
	"shelly/runtime/channel/kept"
)

func TestCHN6AChatThatHasToWaitHoldsUpOnlyItself(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		f.leaves("tom", 0)
		w.writes(f, channel.Message{ID: "t1", Chat: "tom", Sender: "tom", Text: "hello"})
		w.writes(f, channel.Message{ID: "m1", Text: "hello"})
		w.sends(f, 50, "tom", "One.")
		w.sends(f, 51, "mia", "Two.")
		w.replies(f, "t1", "Hello, Tom.")
		w.sends(f, 52, "tom", "Three.")
		w.replies(f, "m1", "Hello, Mia.")
		w.sends(f, 53, "mia", "Four.")
		w.wants(f, "message mia Two.|answer mia Hello, Mia.|message mia Four.")
		if s := w.States()[0]; s.ChatsWaiting != 1 || s.Open != 1 || s.Failed != "to tom: "+errAway.Error() {
			t.Errorf("got %+v; want ChatsWaiting 1, Open 1, Failed %q", s, "to tom: "+errAway.Error())
		}
		w.wait(time.Hour)
		if s := w.States()[0]; s.Retried < 60 || s.Retried > 80 {
			t.Errorf("%d attempts have failed in an hour", s.Retried)
		}
		f.returns("tom")
		w.wait(time.Minute)
		w.wants(f, "message tom One.|message tom Three.|answer tom Hello, Tom.")
		w.sends(f, 54, "tom", "Five.")
		w.wants(f, "message tom Five.")
		if s := w.States()[0]; s.ChatsWaiting != 0 || s.Open != 0 {
			t.Errorf("got %+v; want ChatsWaiting 0, Open 0", s)
		}
	})
}

// A channel that is away holds up everything, and what it is asked to try is tried at once.
func TestCHN6AChannelThatHasToWaitHoldsUpAllChats(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		f.failing(errAway)
		w.sends(f, 50, "tom", "One.")
		w.sends(f, 51, "mia", "Two.")
		w.wait(30 * time.Minute)
		if n := f.tried(); n > 40 {
			t.Errorf("%d attempts in half an hour", n)
		}
		began := time.Now()
		if _, err := w.Try(w.t.Context(), "phone", channel.TryBody{Chat: "mia"}); err == nil || time.Since(began) != 0 {
			t.Errorf("a try ends after %v with %v", time.Since(began), err)
		}
		f.failing(nil)
		w.wait(time.Minute)
		w.wants(f, "message tom One.|message mia Two.")
	})
}

func TestCHN32WhatComesBackAfterItWasAcceptedIsCounted(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.sends(f, 50, "mia", "One.")
		w.wants(f, "message mia One.")
		(<-f.in).Returned("mia", "re-1", errAway)
		if s := w.States()[0]; s.Lost != 1 || s.Failed != "to mia: "+errAway.Error() || s.ChatsWaiting != 0 {
			t.Errorf("got %+v; want Lost 1, Failed %q, ChatsWaiting 0", s, "to mia: "+errAway.Error())
		}
	})
}

func TestCHN6NothingIsTriedBeforeTheChannelWorks(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		f.opens = make(chan struct{})
		w.with(spec(f))
		w.sends(f, 50, "mia", "One.")
		w.wait(time.Minute)
		if s := w.States()[0]; f.tried() != 0 || s.Failed != "" || s.Retried != 0 {
			t.Errorf("%d attempts: %+v", f.tried(), s)
		}
		close(f.opens)
		w.wait(time.Second)
		w.wants(f, "message mia One.")
	})
}

// The other side may be silent about one chat only.
func TestCHN6AChatAboutWhichTheOtherSideIsSilentHoldsUpOnlyItself(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		f.silent("tom")
		w.sends(f, 50, "tom", "One.")
		w.sends(f, 51, "mia", "Two.")
		w.wait(time.Minute)
		w.wants(f, "message mia Two.")
		if s := w.States()[0]; s.Failed != "to tom: no answer came within 30s" || s.ChatsWaiting != 1 {
			t.Errorf("got %+v; want Failed %q, ChatsWaiting 1", s, "to tom: no answer came within 30s")
		}
		f.silent("")
		w.wait(2 * time.Minute)
		w.wants(f, "message tom One.")
	})
}

// An attempt that nobody waits for any more sends nothing.
func TestCHN11ATryEndsWithItsTime(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		hang := make(chan struct{})
		f.mu.Lock()
		f.hang = hang
		f.mu.Unlock()
		for _, text := range []string{"first", "second"} {
			ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
			if _, err := w.Try(ctx, "phone", channel.TryBody{Chat: "mia", Text: text}); err == nil || err.Error() != "no answer came in time" {
				t.Errorf("%s: got %v; want an error, %q", text, err, "no answer came in time")
			}
			cancel()
		}
		close(hang)
		w.wait(time.Minute)
		w.wants(f, "notice mia first")
		f.silent("*")
		w.sends(f, 50, "mia", "Water the plants.")
		w.wait(time.Minute)
		if s := w.States()[0]; s.Failed != "no answer came within 30s" {
			t.Errorf("got %+v; want Failed %q", s, "no answer came within 30s")
		}
	})
}

// Only a limited number of chats can be behind; the first one beyond it holds up everything.
func TestCHN6TooManyChatsThatHaveToWaitHoldUpAll(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		all, want := kept.BehindMax+2, []string(nil)
		for i := range all {
			chat := fmt.Sprintf("chat%02d", i)
			f.leaves(chat, 0)
			w.sends(f, uint64(50+i), chat, "One.")
			want = append(want, "message "+chat+" One.")
		}
		w.sends(f, 200, "mia", "Two.")
		w.wait(10 * time.Minute)
		w.wants(f, "")
		f.returns("chat07")
		f.returns(fmt.Sprintf("chat%02d", all-2))
		w.wait(2 * time.Minute)
		w.wants(f, strings.Join([]string{want[7], want[all-2], "message mia Two."}, "|"))
		w.kill()
		w.start()
		w.wants(f, "")
		for i := range all {
			f.returns(fmt.Sprintf("chat%02d", i))
		}
		w.wait(2 * time.Minute)
		got := f.got()
		slices.SortFunc(got, func(a, b channel.Outbound) int { return strings.Compare(a.Chat, b.Chat) })
		if texts(got) != strings.Join(slices.Delete(slices.Delete(want, all-2, all-1), 7, 8), "|") {
			t.Errorf("sent %q", texts(got))
		}
	})
}

// history is what happens to a channel with three chats, one of which may be away at any time.
type history struct {
	*world
	f      *fake
	rng    *rand.Rand
	place  int
	asked  []string            // requests that are not answered
	sent   map[string][]string // the texts of messages, by chat, in order
	said   map[string]string   // the answers, and their chats
	files  [][]byte            // of the record, since the start
	posted []channel.Outbound  // all that came
}

var historyChats = []string{"mia", "tom", "amy"}

func (h *history) chat() string { return historyChats[h.rng.IntN(len(historyChats))] }

// step is one thing that happens.
func (h *history) step() {
	h.place++
	switch h.rng.IntN(6) {
	case 0, 1:
		chat, text := h.chat(), fmt.Sprintf("message %d", h.place)
		if h.rng.IntN(3) == 0 {
			text += strings.Repeat(" and more", 8) // in parts
		}
		h.sent[chat] = append(h.sent[chat], text)
		h.sendsAt(h.f, engine.PositionOf(uint64(len(h.front.Seen().Requests)), h.place), chat, text) // after the last request
	case 2:
		chat, id := h.chat(), fmt.Sprint(h.place)
		h.writes(h.f, channel.Message{ID: id, Chat: chat, Sender: chat, Text: "hello"})
		h.asked, h.said["answer "+id] = append(h.asked, id), chat
	case 3:
		if len(h.asked) > 0 {
			i := h.rng.IntN(len(h.asked))
			h.replies(h.f, h.asked[i], "answer "+h.asked[i])
			h.asked = slices.Delete(h.asked, i, i+1)
		}
	case 4:
		if chat := h.chat(); h.rng.IntN(2) == 0 {
			h.f.leaves(chat, h.rng.IntN(3))
		} else {
			h.f.returns(chat)
		}
	case 5:
		h.wait(time.Duration(h.rng.IntN(20)) * time.Second)
	}
	h.note()
}

// note takes what came, and the record of it.
func (h *history) note() {
	h.posted = append(h.posted, h.f.got()...)
	text, err := os.ReadFile(filepath.Join(h.data, kept.Name))
	if err != nil {
		h.t.Fatal(err)
	}
	h.files = append(h.files, text)
}

// crash ends the process and begins another. With old, the record is one that was written before:
// what came after it was delivered, and is not noted.
func (h *history) crash(old bool) {
	h.kill()
	if old {
		if err := os.WriteFile(filepath.Join(h.data, kept.Name), h.files[h.rng.IntN(len(h.files))], 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
	h.files = nil
	for len(h.f.in) > 0 {
		<-h.f.in
	}
	h.start()
	h.note()
}

// end has everything delivered, and checks what came.
func (h *history) end(old bool) {
	for _, chat := range historyChats {
		h.f.returns(chat)
	}
	for _, id := range h.asked {
		h.replies(h.f, id, "answer "+id)
	}
	h.wait(2 * time.Minute)
	h.note()
	seen, whole, answers, part := map[string]channel.Outbound{}, map[string][]string{}, map[string]string{}, map[string]string{}
	for _, m := range h.posted {
		if first, again := seen[m.ID]; again {
			if !old || first != m {
				h.t.Errorf("%+v comes again as %+v", first, m)
			}
			continue
		}
		seen[m.ID] = m
		text := strings.TrimSpace(part[m.Chat] + " " + m.Text)
		if part[m.Chat] = ""; m.More {
			part[m.Chat] = text
			continue
		}
		if m.Kind == channel.KindAnswer {
			answers[text] = m.Chat
		} else {
			whole[m.Chat] = append(whole[m.Chat], text)
		}
	}
	if !maps.EqualFunc(whole, h.sent, slices.Equal) {
		h.t.Errorf("messages came as\n%q, sent were\n%q", whole, h.sent)
	}
	if !maps.Equal(answers, h.said) {
		h.t.Errorf("answers came as %q, said were %q", answers, h.said)
	}
	if s := h.States()[0]; s.Open != 0 || s.ChatsWaiting != 0 || s.Lost != 0 {
		h.t.Errorf("got %+v; want Open 0, ChatsWaiting 0, Lost 0", s)
	}
}

// Whatever the chats do, and whenever the process dies, all messages to a chat come, in their order,
// and all answers; what comes again has its id, and nothing comes again that is noted.
func TestCHN8NothingIsLostOfChatsThatHaveToWait(t *testing.T) {
	for seed := range uint64(16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, func(w *world) {
				f := newFake("phone")
				three := spec(f)
				three.Allow, three.PerMinute, three.PartBytes = historyChats, 1000, 64
				w.with(three)
				h := &history{world: w, f: f, rng: rand.New(rand.NewPCG(seed, 6)), sent: map[string][]string{}, said: map[string]string{}}
				h.writes(f, channel.Message{ID: "0", Text: "hello"})
				h.asked, h.said["answer 0"] = []string{"0"}, "mia"
				h.note()
				old := seed%2 == 1
				for range 60 {
					h.step()
					if h.rng.IntN(10) == 0 {
						h.crash(old)
					}
				}
				h.end(old)
			})
		})
	}
}
