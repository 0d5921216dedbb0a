package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/jsonschema-go/jsonschema"

	"shelly/cmd/shelly/internal/openapi"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

var updateOpenAPI = flag.Bool("update-openapi", false, "rewrite docs/openapi.json")

const openAPIFile = "../../docs/openapi.json"

// described is a document as its reader parses it.
type described struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name, In string
			Schema   struct {
				Type    string
				Minimum *int
			}
		} `json:"parameters"`
		Body *struct {
			Content map[string]struct {
				Schema jsonschema.Schema `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
		Responses map[string]struct {
			Ref     string `json:"$ref"`
			Content map[string]struct {
				Schema struct {
					Ref string `json:"$ref"`
				} `json:"schema"`
			} `json:"content"`
		} `json:"responses"`
		Elsewhere any `json:"externalDocs"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]*jsonschema.Schema `json:"schemas"`
	} `json:"components"`
}

// validate fails the test if an answer is not as a reference to a schema says.
func (d described) validate(t *testing.T, ref string, answer []byte) {
	t.Helper()
	resolved, err := d.Components.Schemas[ref[strings.LastIndexByte(ref, '/')+1:]].Resolve(nil)
	must(t, err)
	var value any
	must(t, json.Unmarshal(answer, &value))
	if err := resolved.Validate(value); err != nil {
		t.Errorf("the answer is not as described: %v\n%.600s", err, answer)
	}
}

// schemasIn returns the objects of a document, by where they are.
func schemasIn(at string, of any) map[string]map[string]any {
	all := map[string]map[string]any{}
	switch of := of.(type) {
	case map[string]any:
		all[at] = of
		for name, v := range of {
			maps.Copy(all, schemasIn(at+"/"+name, v))
		}
	case []any:
		for i, v := range of {
			maps.Copy(all, schemasIn(fmt.Sprintf("%s/%d", at, i), v))
		}
	}
	return all
}

// These match the hints of an error that list the names that a route knows.
var (
	fieldsHint     = regexp.MustCompile(`^the fields are (.*)$`)
	parametersHint = regexp.MustCompile(`^the parameters are (.*)$`)
)

// missing matches an error about a field that a body must have.
var missing = regexp.MustCompile(`field \\"(\w+)\\" is missing`)

// The daemon serves the same document that is in docs. It names the fields and parameters that
// the routes take, and their answers match it.
func TestCOM97TheDaemonIsAsItsDocumentSays(t *testing.T) {
	bin, err := exec.LookPath("shelly") // testscript.Main put it into PATH
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, bin: bin, data: filepath.Join(t.TempDir(), "data"), dir: t.TempDir(), args: []string{"--brain", "demo", "--set", "init=off"}}
	p.start()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // where the test fails; else it is gone
	at, err := client.ReadEndpoint(p.data)
	if err != nil {
		t.Fatal(err)
	}
	token, err := client.ReadToken(p.data)
	if err != nil {
		t.Fatal(err)
	}
	media := "" // of the last answer
	ask := func(method, path, body string) (int, []byte) {
		r, err := http.NewRequest(method, "http://"+at.HTTP+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		media, _, _ = mime.ParseMediaType(answer.Header.Get("Content-Type"))
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, text
	}
	if status, _ := ask("POST", "/v1/requests?wait=1", `{"id":"one","text":"hello","session":"s"}`); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	_, text := ask("GET", openapi.Path, "")
	var doc described
	must(t, json.Unmarshal(text, &doc))
	t.Run("whole numbers are of 64 bits, and answers may have members more", func(t *testing.T) {
		var all any
		must(t, json.Unmarshal(text, &all))
		for at, s := range schemasIn("", all) {
			if s["type"] == "integer" && s["format"] != "int64" {
				t.Errorf("%s has the format %v", at, s["format"])
			}
			if s["additionalProperties"] == false && strings.HasPrefix(at, "/components/") {
				t.Errorf("%s is closed", at)
			}
		}
	})
	t.Run("a step with an image", func(t *testing.T) {
		image := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 16)))
		if status, text := ask("POST", "/v1/requests?wait=1", `{"id":"two","text":"hello","images":["`+image+`"]}`); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
		_, text := ask("GET", "/v1/requests/two/steps?at=1", "")
		if !strings.Contains(string(text), image) {
			t.Fatalf("the step has no image: %s", text)
		}
		doc.validate(t, doc.Paths["/v1/requests/{id}/steps"]["get"].Responses["200"].Content["application/json"].Schema.Ref, text)
	})
	t.Run("drift", func(t *testing.T) {
		got := regexp.MustCompile(`"version": "[^"]*"`).ReplaceAll(text, []byte(`"version": ""`))
		if *updateOpenAPI {
			must(t, os.WriteFile(openAPIFile, append(got, '\n'), 0o644))
		}
		want, err := os.ReadFile(openAPIFile)
		if err != nil || !bytes.Equal(bytes.TrimSpace(want), got) {
			t.Errorf("docs/openapi.json is not what is served: make spec (%v)", err)
		}
	})
	filled := strings.NewReplacer("{id}", "one", "{handle}", "1", "{name}", "nobody", "{run}", "1")
	answered := 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if op.Elsewhere != nil {
				for status, answer := range op.Responses {
					if answer.Ref != "" || len(answer.Content) > 0 {
						t.Errorf("%s %s: %s is described here, and is of another protocol: %+v", method, path, status, answer)
					}
				}
				continue
			}
			t.Run(method+" "+path, func(t *testing.T) {
				method := strings.ToUpper(method)
				var query, header []string
				for _, p := range op.Parameters {
					if p.In == "header" {
						header = append(header, p.Name)
					}
					if p.In == "query" {
						query = append(query, p.Name)
					}
					if p.Schema.Type != "integer" {
						continue
					}
					if p.Schema.Minimum == nil {
						t.Errorf("%s has no least value", p.Name)
					} else if status, text := ask(method, fmt.Sprintf("%s?%s=%d", filled.Replace(path), p.Name, *p.Schema.Minimum-1), ""); status < http.StatusBadRequest {
						t.Errorf("%s may be less than %d: %.200s", p.Name, *p.Schema.Minimum, text)
					}
				}
				if _, streams := op.Responses["200"].Content["text/event-stream"]; streams && !slices.Contains(header, "Last-Event-ID") {
					t.Errorf("the headers are %v", header)
				}
				hinted := func(status int, text []byte, hint *regexp.Regexp) ([]string, bool) {
					var problem comm.ProblemBody
					if json.Unmarshal(text, &problem) != nil || status != http.StatusBadRequest {
						return nil, false
					}
					m := hint.FindStringSubmatch(problem.Error.Hint)
					if m == nil {
						return nil, false
					}
					return slices.Sorted(slices.Values(regexp.MustCompile(`, | and `).Split(m[1], -1))), true
				}
				status, text := ask(method, filled.Replace(path)+"?zz=1", map[bool]string{true: "{}"}[method == "POST"])
				if watches := path == "/healthz" || path == "/metrics"; status < http.StatusBadRequest && !watches {
					t.Errorf("an unknown query parameter is not refused: status %d", status)
				}
				if knows, told := hinted(status, text, parametersHint); told {
					if diff := cmp.Diff(knows, slices.Sorted(slices.Values(query)), equalEmpty); diff != "" {
						t.Errorf("parameters (-route +document)\n%s", diff)
					}
				}
				if op.Body != nil {
					takes := func(body string, schema *jsonschema.Schema) {
						status, text := ask(method, filled.Replace(path), body)
						if knows, told := hinted(status, text, fieldsHint); told {
							if diff := cmp.Diff(knows, slices.Sorted(maps.Keys(schema.Properties)), equalEmpty); diff != "" {
								t.Errorf("fields in %s (-route +document)\n%s", body, diff)
							}
						}
					}
					schema := op.Body.Content["application/json"].Schema
					takes(`{"zz":1}`, &schema)
					for name, p := range schema.Properties {
						if p.Items != nil && p.Items.Properties != nil {
							takes(fmt.Sprintf(`{%q:[{"zz":1}]}`, name), p.Items)
						}
					}
					_, text := ask(method, filled.Replace(path), "{}")
					if m := missing.FindSubmatch(text); m != nil && !slices.Contains(schema.Required, string(m[1])) {
						t.Errorf("%s is not described as required: %s", m[1], text)
					}
				} else if method == "POST" {
					status, text := ask(method, filled.Replace(path), "")
					other, more := ask(method, filled.Replace(path), "{}")
					if status != other || status >= http.StatusBadRequest && !bytes.Equal(text, more) {
						t.Errorf("a body is not described, and without one the answer is %d %s, with one %d %s", status, text, other, more)
					}
				}
				if _, endless := op.Responses["200"].Content["text/event-stream"]; method != "GET" || endless {
					return
				}
				status, text = ask(method, filled.Replace(path), "")
				if status != http.StatusOK {
					return // there is no such thing, and that is a problem
				}
				if _, described := op.Responses["200"].Content[media]; !described {
					t.Errorf("the answer is of the type %s", media)
				}
				ref := op.Responses["200"].Content["application/json"].Schema.Ref
				if ref == "" {
					return
				}
				doc.validate(t, ref, text)
				answered++
			})
		}
	}
	if answered < 12 {
		t.Errorf("only %d answers were held against the document", answered)
	}
	t.Logf("%d paths, %d answers held against their schemas", len(doc.Paths), answered)
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.log.text())
	}
}

var equalEmpty = cmpopts.EquateEmpty()
