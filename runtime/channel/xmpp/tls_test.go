package xmpp_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelly/runtime/channel/xmpp"
)

// certified returns what a server of a domain shows, and the file of who vouches for it.
func certified(t *testing.T, domain string) (config *tls.Config, caFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{domain}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, caFile
}

func TestCHN30FromTheFirstByteTheSessionIsEncrypted(t *testing.T) {
	config, caFile := certified(t, "example.org")
	s := listen(t)
	s.listener = tls.NewListener(s.listener, config)
	_, in, _ := runsOver(t, s, xmpp.DirectTLS, caFile)
	s.accept(true)
	<-in.up
}

// hears returns what the first client says that connects, until it leaves or asks for something.
func hears(t *testing.T, s *server, answer string) <-chan string {
	t.Helper()
	heard := make(chan string, 1)
	go func() {
		conn, err := s.listener.Accept()
		if err != nil {
			heard <- err.Error()
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, answer)
		text, part := "", make([]byte, 1<<10)
		for err = nil; err == nil && !strings.Contains(text, "<starttls") && !strings.Contains(text, "<auth"); {
			var n int
			n, err = conn.Read(part)
			text += string(part[:n])
		}
		heard <- text
	}()
	return heard
}

// Without somebody who vouches for it, or for another domain, a server may be anybody's.
func TestCHN30AServerThatIsNotTheDomainsGetsNoPassword(t *testing.T) {
	mine, _ := certified(t, "example.org")
	other, otherCA := certified(t, "example.net")
	for name, tt := range map[string]struct {
		shows  *tls.Config
		caFile string
	}{
		"for another domain":    {other, otherCA},
		"nobody vouches for it": {mine, otherCA},
		"only the system's may": {mine, ""},
	} {
		s := listen(t)
		s.listener = tls.NewListener(s.listener, tt.shows)
		heard := hears(t, s, "")
		_, _, end := runsOver(t, s, xmpp.DirectTLS, tt.caFile)
		if err := end(); err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: it ends with %v", name, err)
		}
		if text := <-heard; text != "" {
			t.Errorf("%s: the server hears %q", name, text)
		}
	}
}

// Who sits between shelly and the server can leave STARTTLS out of what the server offers.
func TestCHN30WithoutAnOfferOfTLSTheServerGetsNoPassword(t *testing.T) {
	_, caFile := certified(t, "example.org")
	s := listen(t)
	heard := hears(t, s, `<?xml version='1.0'?><stream:stream from='example.org' id='1' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>`+
		`<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms></stream:features>`)
	_, _, end := runsOver(t, s, xmpp.StartTLS, caFile)
	if err := end(); err == nil {
		t.Error("it works")
	}
	if text := <-heard; !strings.Contains(text, "<starttls") || strings.Contains(text, "<auth") {
		t.Errorf("the server hears %q", text)
	}
}

func TestCHN30AFileWithoutCertificatesIsNoneOfAnAuthority(t *testing.T) {
	caFile := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, []byte("nothing in PEM\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, end := runsOver(t, listen(t), xmpp.DirectTLS, caFile)
	if err := end(); err == nil || !strings.Contains(err.Error(), "no certificate in PEM") {
		t.Errorf("it ends with %v", err)
	}
}
