package comm_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// A client that closes its side is told so, and not that shelly has stopped: it runs.
func TestCOM9AClientThatClosesItsSideLearnsThat(t *testing.T) {
	for _, query := range []string{"wait=1", "stream=1"} {
		t.Run(query, func(t *testing.T) {
			s := serveHTTP(t, nil)
			conn, err := net.Dial("tcp", s.address)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if err := conn.SetDeadline(time.Now().Add(hang)); err != nil {
				t.Fatal(err)
			}
			_, err = fmt.Fprintf(conn, "POST /v1/requests?%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				query, s.address, token, len(good), good)
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(conn)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(got), `"code":"unknown_outcome","message":"the client closed its side of the connection`) {
				t.Errorf("got %s", got)
			}
			if strings.Contains(string(got), "stop") {
				t.Errorf("got %s; shelly has not stopped", got)
			}
		})
	}
}
