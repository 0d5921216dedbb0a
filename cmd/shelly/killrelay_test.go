//go:build failpoint

package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
)

// Of requests over UDP of which three in ten datagrams are lost, or come twice, in either
// direction, each is accepted once and answered, if its sender asks again (JRN-10, COM-2).
func TestFaultDatagramsThatAreLostOrDoubled(t *testing.T) {
	for name, copies := range map[string]func(n int) int{ // order-free: they have nothing in common
		"lost":    func(n int) int { return min(1, n/3) },
		"doubled": func(n int) int { return 1 + (9-n)/7 },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), guard)
			defer cancel()
			k := newKilled(t, killArgs()...)
			l, now := k.killServes(ctx)
			now.udp = killRelay(t, now.udp, copies)
			var requests []*killAsk
			for n := range 30 {
				id := "d" + strconv.Itoa(n)
				requests = append(requests, &killAsk{id: id, session: "s" + strconv.Itoa(n%4), text: "tell " + id, udp: true})
			}
			var done sync.WaitGroup
			for _, a := range requests {
				done.Go(func() {
					if err := k.askOf(ctx, now, a); err != nil || a.reply != "told "+a.id {
						t.Errorf("request %s: %q, %v", a.id, a.reply, err)
					}
				})
			}
			done.Wait()
			k.stop(l)
			for _, a := range requests {
				if kept := k.kept(a); kept != 1 {
					t.Errorf("request %s is in the journal %d times", a.id, kept)
				}
			}
		})
	}
}

// killRelay is a relay for datagrams that passes each on as often as copies says of a
// number from 0 to 9, drawn with a seed.
func killRelay(t *testing.T, to string, copies func(int) int) string {
	t.Helper()
	in, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(*killSeed, 2))
	pass := func(send func([]byte) (int, error), data []byte) {
		mu.Lock()
		n := copies(rng.IntN(10))
		mu.Unlock()
		for range n {
			_, _ = send(data)
		}
	}
	var running sync.WaitGroup
	outs := map[string]net.Conn{}
	running.Go(func() {
		buffer := make([]byte, 1<<16)
		for {
			n, from, err := in.ReadFrom(buffer)
			if err != nil {
				for _, out := range outs { // order-free: each is only closed
					_ = out.Close()
				}
				return
			}
			out := outs[from.String()]
			if out == nil {
				if out, err = net.Dial("udp", to); err != nil {
					continue
				}
				outs[from.String()] = out
				running.Go(func() {
					buffer := make([]byte, 1<<16)
					for {
						n, err := out.Read(buffer)
						if errors.Is(err, net.ErrClosed) {
							return
						}
						if err == nil {
							pass(func(b []byte) (int, error) { return in.WriteTo(b, from) }, buffer[:n])
						}
					}
				})
			}
			pass(out.Write, buffer[:n])
		}
	})
	t.Cleanup(func() {
		_ = in.Close()
		running.Wait()
	})
	return in.LocalAddr().String()
}
