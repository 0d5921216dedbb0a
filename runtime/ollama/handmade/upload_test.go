package handmade

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestABlobIsSentOnlyWhereItIsMissing(t *testing.T) {
	for known, want := range map[bool][]string{
		false: {"HEAD /api/blobs", "POST /api/blobs", "POST /api/create", "DELETE /api/delete"},
		true:  {"HEAD /api/blobs", "POST /api/create", "DELETE /api/delete"},
	} {
		var got []string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, _, _ := strings.Cut(r.URL.Path, "/sha256:")
			got = append(got, r.Method+" "+path)
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				t.Error(err)
			}
			if r.Method == http.MethodHead && !known {
				w.WriteHeader(http.StatusNotFound)
			}
		}))
		if err := Upload(t.Context(), s.URL, "m", script); err != nil {
			t.Error(err)
		}
		if err := Delete(t.Context(), s.URL, "m"); err != nil {
			t.Error(err)
		}
		s.Close()
		if !slices.Equal(got, want) {
			t.Errorf("known %v: %q, want %q", known, got, want)
		}
	}
}

func TestARefusedUploadSaysWhy(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Read it first: a server that refuses without reading the body may reset the connection
		// before its answer is read.
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		http.Error(w, `{"error":"no space"}`, http.StatusInsufficientStorage)
	}))
	defer s.Close()
	err := UploadEmbedding(t.Context(), s.URL, "m")
	if err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("got %v; want an error with %q", err, "no space")
	}
}
