package page

import (
	"embed"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed assets
var assets embed.FS

// Path is where the page is. What lies below it is the page's.
const Path = "/page/"

// tokenPath is where a ticket is taken for a token.
const tokenPath = Path + "token"

// bodyBytesMax bounds what is sent there.
const bodyBytesMax = 4 << 10

// policy lets the page load from its own origin alone, run no text as code, and be in no
// frame of another page (COM-70). A report is shown in a frame of its own.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// reportPolicy is that of a report, beside its own: it is a page apart, without this origin and
// its storage, that loads nothing and stands in a frame of the page alone (COM-77).
const reportPolicy = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " +
	"frame-ancestors 'self'; base-uri 'none'; form-action 'none'"

// Options adapts a site; the zero value is ready.
type Options struct {
	Now func() time.Time // nil: time.Now
	Log *slog.Logger     // nil: none
	// Own reports whether the program at the other end of a connection is the user's own, as
	// far as the system tells; nil: ownPeer.
	Own func(local, remote net.Addr) bool
}

// Site is the page. Its methods may be called from many goroutines at once.
type Site struct {
	o     Options
	keys  keys
	files map[string]file

	reports reports
}

// file is one that is served.
type file struct {
	media string
	data  []byte
}

// New returns the page.
func New(o Options) *Site {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Own == nil {
		o.Own = ownPeer
	}
	return &Site{o: o, keys: keys{now: o.Now}, files: files(), reports: reports{now: o.Now}}
}

// files are the embedded ones by the paths that they are served at. Only these are: no path
// of a request is ever one of a file system.
func files() map[string]file {
	all := map[string]file{}
	list, err := assets.ReadDir("assets")
	for _, entry := range list {
		data, wrong := fs.ReadFile(assets, "assets/"+entry.Name())
		if err = errors.Join(err, wrong); err == nil {
			all[Path+entry.Name()] = file{mediaOf(entry.Name()), data}
		}
	}
	if err != nil {
		panic(err) // what is embedded can be read
	}
	all[Path] = all[Path+"index.html"]
	delete(all, Path+"index.html")
	return all
}

// mediaOf is the type of a file by its name. The system's table of types has no say.
func mediaOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return "application/octet-stream"
	}
}

// Ticket returns a new ticket, good once and for [TicketLife], and where the page is that takes it.
func (s *Site) Ticket() (ticket, path string, life time.Duration) {
	return s.keys.ticket(), Path, TicketLife
}

// Holds reports whether a token is that of a page, which is not idle then.
func (s *Site) Holds(token string) bool { return s.keys.holds(token) }

// Show keeps a report for one look at it, for a while, and returns at which path that is.
func (s *Site) Show(report []byte) (path string) { return s.reports.keep(report) }

// Mine reports whether a request's path is the page's.
func (s *Site) Mine(path string) bool { return strings.HasPrefix(path+"/", Path) }

// ServeHTTP implements [http.Handler] for the paths below [Path]. It is up to the caller to
// have refused requests of other sites and for other hosts.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cache-Control", "no-store")
	if r.URL.Path == tokenPath {
		s.exchange(w, r)
		return
	}
	if report, ok := s.reports.take(r.URL.Path); ok && r.Method == http.MethodGet {
		header.Set("Content-Security-Policy", reportPolicy)
		header.Set("X-Frame-Options", "SAMEORIGIN")
		header.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(report)
		return
	}
	f, ok := s.files[r.URL.Path]
	switch {
	case r.URL.Path+"/" == Path:
		http.Redirect(w, r, Path, http.StatusPermanentRedirect)
	case !ok:
		refuse(w, http.StatusNotFound, "not_found", "the page has no such file", "it begins at "+Path)
	case r.Method != http.MethodGet:
		header.Set("Allow", http.MethodGet)
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed", r.Method+" is not for this route", "use GET")
	default:
		header.Set("Content-Type", f.media)
		_, _ = w.Write(f.data) // a client that has gone is nobody to tell of an error
	}
}

// exchange takes a ticket for a token (COM-71).
func (s *Site) exchange(w http.ResponseWriter, r *http.Request) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed", r.Method+" is not for this route", "use POST")
		return
	case err != nil || media != "application/json":
		refuse(w, http.StatusUnsupportedMediaType, "unsupported_media_type", "the body is not declared as JSON", "send Content-Type: application/json")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytesMax))
	var in struct {
		Ticket string `json:"ticket"`
	}
	if err != nil || json.Unmarshal(body, &in) != nil {
		refuse(w, http.StatusBadRequest, "bad_request", "the body is not a JSON object with a ticket", `send {"ticket": "…"}`)
		return
	}
	if !s.own(r) {
		s.o.Log.Warn("another user of this machine has tried a ticket of the page")
		refuse(w, http.StatusForbidden, "forbidden", "the browser is not that of the user whom shelly runs for", "open the page as that user")
		return
	}
	token, ok := s.keys.token(in.Ticket)
	if !ok {
		w.Header().Set("Connection", "close")
		refuse(w, http.StatusUnauthorized, "unauthorized", "this link was used before, or is older than a minute", "run: shelly page")
		return
	}
	s.o.Log.Info("a page was opened in a browser")
	answer(w, http.StatusOK, struct {
		Token string `json:"token"`
	}{token})
}

// own reports whether the browser is the user's own.
func (s *Site) own(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	remote, err := net.ResolveTCPAddr("tcp", r.RemoteAddr)
	return local != nil && err == nil && s.o.Own(local, remote)
}

// refuse answers as the other routes do (COM-6).
func refuse(w http.ResponseWriter, status int, code, message, hint string) {
	type problem struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	}
	answer(w, status, struct {
		Error problem `json:"error"`
	}{problem{code, message, hint}})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
