package page

import (
	"cmp"
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

// Path is the page's path. Everything below it belongs to the page.
const Path = "/page/"

// tokenPath is where a ticket is exchanged for a token.
const tokenPath = Path + "token"

// bodyBytesMax bounds the body of that request.
const bodyBytesMax = 4 << 10

// policy lets the page load only from its own origin, run no text as code, and appear in no
// other page's frame (COM-70). A report is shown in a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// reportPolicy is a report's policy, in addition to the report's own: it is a separate page,
// without this origin and its storage, which loads nothing and appears only in a frame of the
// page (COM-77).
const reportPolicy = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " +
	"frame-ancestors 'self'; base-uri 'none'; form-action 'none'"

// Options adapts a site; the zero value is ready.
type Options struct {
	Now func() time.Time // nil: time.Now
	Log *slog.Logger     // nil: none
	// Own reports whether the program at the other end of a connection is the user's own, as
	// far as the system can tell; nil: ownPeer.
	Own func(local, remote net.Addr) bool
}

// Site is the page. Its methods may be called from many goroutines at once.
type Site struct {
	o     Options
	keys  keys
	files map[string]file

	reports reports
}

// file is a file of the page.
type file struct {
	media string
	data  []byte
}

// New returns the page.
func New(o Options) *Site {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Own == nil {
		o.Own = ownPeer
	}
	return &Site{o: o, keys: keys{now: o.Now}, files: files(), reports: reports{now: o.Now}}
}

// files returns the embedded files by the paths at which they are served. Only these are served:
// the path of a request is never used in a file system.
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
		panic(err) // embedded files can always be read
	}
	all[Path] = all[Path+"index.html"]
	delete(all, Path+"index.html")
	return all
}

// mediaOf returns the media type of a file from its name, regardless of the system's table.
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

// Ticket returns a new ticket, which can be used once within [TicketLife], and the page's path.
func (s *Site) Ticket() (ticket, path string, life time.Duration) {
	return s.keys.ticket(), Path, TicketLife
}

// Holds reports whether a token is a page's, and counts as a use of it.
func (s *Site) Holds(token string) bool { return s.keys.holds(token) }

// Show keeps a report for a while, and returns the path at which it can be read once.
func (s *Site) Show(report []byte) (path string) { return s.reports.keep(report) }

// Mine reports whether a path belongs to the page.
func (s *Site) Mine(path string) bool { return strings.HasPrefix(path+"/", Path) }

// ServeHTTP implements [http.Handler] for the paths below [Path]. HEAD is answered like GET, whose
// body the server leaves out. The caller must have refused requests from other sites and for other
// hosts.
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
	f, ok := s.files[r.URL.Path]
	report, kept := s.reports.find(r.URL.Path, r.Method == http.MethodGet)
	switch {
	case r.URL.Path+"/" == Path:
		http.Redirect(w, r, Path, http.StatusPermanentRedirect)
	case !ok && !kept:
		refuse(w, http.StatusNotFound, "not_found", "the page has no such file", "it begins at "+Path)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		header.Set("Allow", http.MethodGet+", "+http.MethodHead)
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed", r.Method+" is not for this route", "use GET")
	case kept:
		header.Set("Content-Security-Policy", reportPolicy)
		header.Set("X-Frame-Options", "SAMEORIGIN")
		header.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(report)
	default:
		header.Set("Content-Type", f.media)
		_, _ = w.Write(f.data) // an error means that the client has gone
	}
}

// exchange exchanges a ticket for a token (COM-71).
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
		refuse(w, http.StatusForbidden, "forbidden", "the browser does not belong to the user that shelly runs as", "open the page as that user")
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

// refuse answers with an error like the other routes (COM-6).
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
