//go:build !windows

package comm_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/comm/listener"
)

func TestCOM91ASocketNeedsNoTokenOfItsOwnUser(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	front := fronttest.New()
	h, err := comm.NewHTTP(front, comm.HTTPOptions{Token: token, RequestBytesMax: 4096})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s.sock")
	l, err := listener.Unix(path)
	if err != nil {
		t.Fatal(err)
	}
	serving(t, func(ctx context.Context) error { return h.Serve(ctx, l) })
	s := &site{t: t, front: front, address: "anything", client: &http.Client{Timeout: hang, Transport: &http.Transport{
		DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", path) },
	}}}
	if r := s.start(with(post(good), "Authorization", "")); r.StatusCode != http.StatusAccepted {
		t.Errorf("its own user: status %d", r.StatusCode)
	}
	if _, ok, err := front.Request(t.Context(), httpKey("m1")); !ok || err != nil {
		t.Errorf("the request is not that of local: %v", err)
	}
	if r := s.start(with(post(good), "Authorization", "Bearer "+token[1:]+"x")); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("with a wrong token: status %d", r.StatusCode)
	}
}
