package xmpp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"mellium.im/sasl"
	"mellium.im/xmpp"
	"mellium.im/xmpp/jid"
)

// How a connection is made safe.
const (
	StartTLS  = "starttls"
	DirectTLS = "direct" // TLS from the first byte (XEP-0368)
	PlainText = "off"    // without TLS, only to this machine
)

// connect opens a session of the account.
func (x *XMPP) connect(ctx context.Context) (*xmpp.Session, *budget, error) {
	account, err := jid.Parse(x.o.Account)
	if err != nil {
		return nil, nil, fmt.Errorf("the account %s: %w", x.o.Account, err)
	}
	password, err := x.o.Password()
	if err != nil {
		return nil, nil, err
	}
	safe, err := x.tls(account.Domainpart())
	if err != nil {
		return nil, nil, err
	}
	tcp, err := x.dial(ctx, account.Domainpart())
	if err != nil {
		return nil, nil, err
	}
	conn := &budget{Conn: tcp}
	conn.more()
	session, err := x.negotiate(ctx, account, conn, safe, password)
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return session, conn, nil
}

// negotiate logs the account in.
func (x *XMPP) negotiate(ctx context.Context, account jid.JID, conn net.Conn, safe *tls.Config, password string) (*xmpp.Session, error) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // the library does not observe ctx everywhere
	login := xmpp.SASL("", password, sasl.ScramSha256Plus, sasl.ScramSha256, sasl.ScramSha1Plus, sasl.ScramSha1, sasl.Plain)
	features, state := []xmpp.StreamFeature{login, xmpp.BindResource()}, xmpp.Secure
	switch x.o.TLS {
	case DirectTLS:
		over := tls.Client(conn, safe)
		if err := over.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		conn = over
	case PlainText:
		if at, is := conn.RemoteAddr().(*net.TCPAddr); !is || !at.IP.IsLoopback() {
			return nil, errors.New("without TLS only a server on this machine is talked to")
		}
	default:
		features, state = append(features, xmpp.StartTLS(safe)), 0
	}
	session, err := xmpp.NewSession(ctx, account.Domain(), account, conn, state, xmpp.NewNegotiator(func(*xmpp.Session, *xmpp.StreamConfig) xmpp.StreamConfig {
		return xmpp.StreamConfig{Features: features}
	}))
	if err != nil {
		return nil, fmt.Errorf("log in as %s: %w", account, err)
	}
	return session, nil
}

// tls returns the requirements for a server's certificate: it must be for the account's domain.
func (x *XMPP) tls(domain string) (*tls.Config, error) {
	c := &tls.Config{ServerName: domain, MinVersion: tls.VersionTLS12}
	if x.o.CAFile == "" {
		return c, nil
	}
	text, err := os.ReadFile(x.o.CAFile)
	if err != nil {
		return nil, err
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", x.o.CAFile)
	}
	return c, nil
}

// dial connects to the server, which is looked up by the domain unless it is configured.
func (x *XMPP) dial(ctx context.Context, domain string) (net.Conn, error) {
	addresses := []string{x.o.Server}
	if x.o.Server == "" {
		service, port := "xmpp-client", "5222"
		if x.o.TLS == DirectTLS {
			service, port = "xmpps-client", "5223"
		}
		_, found, _ := net.DefaultResolver.LookupSRV(ctx, service, "tcp", domain) // without records there is the domain itself
		addresses = servers(found, domain, port)
	}
	var failed error
	for _, a := range addresses {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", a)
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// servers returns where a domain's server may be, in the order in which to try: what its records name, then
// the domain itself. A record that names the root says that the service is not there (RFC 2782).
func servers(found []*net.SRV, domain, port string) (addresses []string) {
	for _, s := range found {
		if host := strings.TrimSuffix(s.Target, "."); host != "" {
			addresses = append(addresses, net.JoinHostPort(host, strconv.Itoa(int(s.Port))))
		}
	}
	return append(addresses, net.JoinHostPort(domain, port))
}

// stanzaBytesMax bounds the bytes of one stanza, including those read ahead.
const stanzaBytesMax = 1 << 20

// budget is a connection from which at most stanzaBytesMax bytes are read until more is called.
type budget struct {
	net.Conn
	left atomic.Int64
}

var errTooLong = errors.New("the server sends a stanza that is too long")

// more allows another whole stanza to be read.
func (b *budget) more() { b.left.Store(stanzaBytesMax) }

// Read implements [net.Conn].
func (b *budget) Read(p []byte) (int, error) {
	n, err := b.Conn.Read(p)
	if b.left.Add(int64(-n)) < 0 {
		return 0, errTooLong
	}
	return n, err
}
