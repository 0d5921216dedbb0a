package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
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
				Schema struct {
					Properties map[string]any `json:"properties"`
				} `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
		Responses map[string]struct {
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

// These match the hints of an error that list the names that a route knows.
var (
	fieldsHint     = regexp.MustCompile(`^the fields are (.*)$`)
	parametersHint = regexp.MustCompile(`^the parameters are (.*)$`)
)

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
				continue
			}
			t.Run(method+" "+path, func(t *testing.T) {
				method := strings.ToUpper(method)
				var query []string
				for _, p := range op.Parameters {
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
					status, text := ask(method, filled.Replace(path), `{"zz":1}`)
					if knows, told := hinted(status, text, fieldsHint); told {
						if diff := cmp.Diff(knows, slices.Sorted(maps.Keys(op.Body.Content["application/json"].Schema.Properties)), equalEmpty); diff != "" {
							t.Errorf("fields (-route +document)\n%s", diff)
						}
					}
				}
				ref := op.Responses["200"].Content["application/json"].Schema.Ref
				if method != "GET" || ref == "" {
					return
				}
				status, text = ask(method, filled.Replace(path), "")
				if status != http.StatusOK {
					return // there is no such thing, and that is a problem
				}
				schema := doc.Components.Schemas[ref[strings.LastIndexByte(ref, '/')+1:]]
				resolved, err := schema.Resolve(nil)
				if err != nil {
					t.Fatal(err)
				}
				var value any
				must(t, json.Unmarshal(text, &value))
				if err := resolved.Validate(value); err != nil {
					t.Errorf("the answer is not as described: %v\n%.600s", err, text)
				}
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
