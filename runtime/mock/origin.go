package mock

import (
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// A browser asks a server whether a page of another origin may use it. A real server allows pages
// from this machine, and applications that have their own scheme (CLI-60).

// These are the hosts and the schemes that a real server allows unless OLLAMA_ORIGINS adds more.
func originHosts() []string { return []string{"localhost", "127.0.0.1", "0.0.0.0"} }
func originSchemes() []string {
	return []string{"app", "file", "tauri", "vscode-webview", "vscode-file"}
}

// corsHeaders are the headers that a page may send.
const corsHeaders = "Authorization,Content-Type,User-Agent,Accept,X-Requested-With,Openai-Beta,X-Stainless-Arch,X-Stainless-Async," +
	"X-Stainless-Custom-Poll-Interval,X-Stainless-Helper-Method,X-Stainless-Lang,X-Stainless-Os,X-Stainless-Package-Version," +
	"X-Stainless-Poll-Helper,X-Stainless-Retry-Count,X-Stainless-Runtime,X-Stainless-Runtime-Version,X-Stainless-Timeout"

// sameOrigin puts crossOrigin before a handler. It also refuses a host that is not of this machine:
// a page from elsewhere whose name leads here would have the server's own origin.
func sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !crossOrigin(w, r):
		case !allowedHost(r.Host):
			w.WriteHeader(http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// allowedHost reports whether a real server that listens on loopback answers under a host's name.
func allowedHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); ip != nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified()
	}
	own, _ := os.Hostname()
	host = strings.ToLower(host)
	return slices.Contains([]string{"", "localhost", strings.ToLower(own)}, host) ||
		slices.ContainsFunc([]string{".localhost", ".local", ".internal"}, func(end string) bool { return strings.HasSuffix(host, end) })
}

// crossOrigin answers a browser's preflight requests, and refuses pages from elsewhere. It reports
// whether to serve the request.
func crossOrigin(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || origin == "http://"+r.Host || origin == "https://"+r.Host {
		return true
	}
	if !allowedOrigin(origin) {
		w.WriteHeader(http.StatusForbidden)
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	if r.Method != http.MethodOptions {
		return true
	}
	h.Add("Vary", "Access-Control-Request-Method")
	h.Add("Vary", "Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS")
	h.Set("Access-Control-Allow-Headers", corsHeaders)
	h.Set("Access-Control-Max-Age", "43200")
	w.WriteHeader(http.StatusNoContent)
	return false
}

func allowedOrigin(origin string) bool {
	u, err := url.Parse(strings.ToLower(origin))
	if err != nil {
		return false
	}
	if u.Scheme == "http" || u.Scheme == "https" {
		return slices.Contains(originHosts(), u.Hostname())
	}
	return slices.Contains(originSchemes(), u.Scheme)
}
