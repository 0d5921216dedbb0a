package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"shelly/fsm"
	"shelly/runtime/access"
	"shelly/runtime/comm"
)

// node is an object of the document; its members are written in the order of their names.
type node map[string]any

// Document describes routes. A route without a row in the table is an error.
func Document(version string, routes []comm.Route) ([]byte, error) {
	d := &describing{schemas: node{}}
	paths := node{}
	for _, r := range routes {
		if hidden(r) {
			continue
		}
		path, op, err := d.operation(r)
		if err != nil {
			return nil, err
		}
		if paths[path] == nil {
			paths[path] = node{}
		}
		paths[path].(node)[strings.ToLower(r.Method)] = op
	}
	problem, err := d.schema(comm.ProblemBody{})
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(node{
		"openapi": "3.1.0",
		"info":    node{"title": "shelly", "version": version, "description": "What shelly's daemon serves on loopback. Every error that a client can fix says how."},
		"servers": []node{{"url": "http://127.0.0.1:7433"}},
		"paths":   paths,
		"components": node{
			"schemas":         d.schemas,
			"securitySchemes": node{"token": node{"type": "http", "scheme": "bearer", "description": "The daemon's token, or a client's (shelly token add)."}},
			"responses":       node{"problem": node{"description": "It was not done, or its outcome is unknown; see its code.", "content": content("", problem)}},
		},
		"security": []node{{"token": []string{}}},
	}, "", " ")
}

// describing collects the schemas that operations refer to.
type describing struct{ schemas node }

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// hidden reports whether a route only identifies the server.
func hidden(r comm.Route) bool { return r.Pattern == "/{$}" || r.Method == http.MethodHead }

// rowOf returns the path of a route in the document, and its row of the table.
func rowOf(r comm.Route) (path string, o operation, err error) {
	path = r.Pattern
	if rest, is := strings.CutPrefix(path, "/v1/channels/"); is && r.Right == access.Anyone && !strings.Contains(rest, "/") {
		path = "/v1/channels/{name}" // each webhook has a route of its own
	}
	o, known := operations[r.Method+" "+path]
	if !known {
		for _, f := range foreign {
			if strings.HasPrefix(path, f.path) {
				o, known = operation{summary: "A route of another protocol.", foreign: f.document}, true
			}
		}
	}
	if !known {
		return "", o, fmt.Errorf("the route %s %s is not described", r.Method, path)
	}
	return strings.Replace(path, "...}", "}", 1), o, nil // a parameter with slashes in it is one all the same
}

func (d *describing) operation(r comm.Route) (path string, op node, err error) {
	path, o, err := rowOf(r)
	if err != nil {
		return "", nil, err
	}
	op = node{"summary": o.summary, "operationId": idOf(r.Method, path), "x-shelly-right": string(r.Right)}
	if r.Right == access.Anyone {
		op["security"] = []node{}
	}
	if o.foreign != "" {
		op["externalDocs"] = node{"url": o.foreign}
	}
	if r.Once() {
		o.header = append(slices.Clip(o.header), field{"Idempotency-Key", textKind, "Sent again with the same body, it gets the first answer."})
	}
	if parameters := parametersOf(path, o); len(parameters) > 0 {
		op["parameters"] = parameters
	}
	if o.body != nil {
		body, err := d.objectOf(o.body)
		if err != nil {
			return "", nil, fmt.Errorf("%s %s: %w", r.Method, path, err)
		}
		op["requestBody"] = node{"required": true, "content": content("", body)}
	}
	responses := node{"default": node{"$ref": "#/components/responses/problem"}}
	for _, a := range o.answers {
		if err := d.answer(responses, a); err != nil {
			return "", nil, fmt.Errorf("%s %s: %w", r.Method, path, err)
		}
	}
	if o.foreign != "" { // whose errors have another form, too
		responses["200"], responses["default"] = node{"description": "See there."}, node{"description": "See there."}
	}
	if r.Once() {
		for _, a := range o.answers {
			responses[strconv.Itoa(a.status)].(node)["headers"] = node{"Idempotency-Replayed": node{
				"description": "true: it is the answer that this Idempotency-Key got before.", "schema": node{"type": "boolean"},
			}}
		}
	}
	op["responses"] = responses
	return path, op, nil
}

// answer adds an answer to the responses; answers with the same status share one.
func (d *describing) answer(responses node, a answer) error {
	var schema any
	if a.of != nil {
		s, err := d.schema(a.of)
		if err != nil {
			return err
		}
		schema = s
	}
	status := strconv.Itoa(a.status)
	if there, is := responses[status].(node); is {
		maps.Copy(there["content"].(node), content(a.media, schema))
		there["description"] = there["description"].(string) + " " + a.says
		return nil
	}
	responses[status] = node{"description": a.says, "content": content(a.media, schema)}
	return nil
}

func content(media string, schema any) node {
	media = cmp.Or(media, "application/json")
	if schema == nil {
		return node{media: node{}}
	}
	return node{media: node{"schema": schema}}
}

// idOf returns a route's operation id, such as getRequestsIdEvents.
func idOf(method, path string) string {
	id := strings.ToLower(method)
	for _, part := range strings.FieldsFunc(strings.TrimPrefix(path, "/v1"), func(r rune) bool { return strings.ContainsRune("/{}._", r) }) {
		id += strings.ToUpper(part[:1]) + part[1:]
	}
	return id
}

func parametersOf(path string, o operation) (list []node) {
	for _, m := range placeholder.FindAllStringSubmatch(path, -1) {
		list = append(list, node{"name": m[1], "in": "path", "required": true, "schema": node{"type": "string"}})
	}
	for _, f := range o.query {
		list = append(list, f.parameter("query"))
	}
	for _, f := range o.header {
		list = append(list, f.parameter("header"))
	}
	return list
}

// parameter describes a field that is not in the body, and of one of its types.
func (f field) parameter(in string) node {
	s := node{"type": f.kind}
	switch f.kind {
	case numberKind: // a sign is refused
		s = whole(0)
	case countKind:
		s = whole(1)
	}
	name, must := strings.CutSuffix(f.name, "!")
	p := node{"name": name, "in": in, "description": f.says, "schema": s}
	if must {
		p["required"] = true
	}
	return p
}

// whole is the schema of a whole number. Without the format, generators of clients take one of 32
// bits, which no time in milliseconds fits into.
func whole(least int) node {
	return node{"type": "integer", "format": wholeFormat, "minimum": least}
}

const wholeFormat = "int64"

func (d *describing) objectOf(fields []field) (node, error) {
	properties, required := node{}, []string{}
	for _, f := range fields {
		name, must := strings.CutSuffix(f.name, "!")
		if must {
			required = append(required, name)
		}
		s, err := d.fieldSchema(f)
		if err != nil {
			return nil, err
		}
		s["description"] = f.says
		properties[name] = s
	}
	object := node{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		object["required"] = required
	}
	return object, nil
}

// fieldSchema returns the schema of a member of a body.
func (d *describing) fieldSchema(f field) (node, error) {
	list := func(items node) node { return node{"type": "array", "items": items} }
	switch f.kind {
	case numberKind:
		return whole(0), nil
	case textsKind:
		return list(node{"type": "string"}), nil
	case mapKind:
		return node{"type": "object", "additionalProperties": node{"type": "string"}}, nil
	case messages, marks:
		items, err := d.objectOf(members[f.kind])
		return list(items), err
	case entriesKind:
		items, err := d.schema(fsm.Entry{})
		return list(items), err
	default:
		return node{"type": f.kind}, nil
	}
}

// special has the schemas of types that are not encoded as their fields suggest.
var special = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[fsm.Source]():      {Type: "array", Items: &jsonschema.Schema{Type: "string"}},
	reflect.TypeFor[json.RawMessage](): {},
	reflect.TypeFor[[]byte]():          {Types: []string{"null", "string"}, ContentEncoding: "base64"},
}

// schema returns a reference to the schema of a value's type.
func (d *describing) schema(of any) (node, error) {
	t := reflect.TypeOf(of)
	name := nameOf(t)
	if _, there := d.schemas[name]; !there {
		schemas := maps.Clone(special)
		maps.Copy(schemas, words)
		s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: schemas, IgnoreInvalidTypes: true})
		if err != nil {
			return nil, err
		}
		open(s)
		d.schemas[name] = s
	}
	return node{"$ref": "#/components/schemas/" + name}, nil
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9]+`)

func nameOf(t reflect.Type) string {
	if t.Name() == "" {
		return "State"
	}
	name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	pkg := t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:]
	return notInNames.ReplaceAllString(strings.ToUpper(pkg[:1])+pkg[1:]+strings.ReplaceAll(name, "shelly/", ""), "")
}

// open allows answers to have members that this document does not know, because a later shelly may
// add some, and says how wide their numbers are.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	if s.Type == "integer" && s.Maximum == nil {
		s.Format = wholeFormat
	}
	open(s.Items)
	open(s.AdditionalProperties)
	for _, p := range s.Properties { // order-free: each on its own
		open(p)
	}
	for _, list := range [][]*jsonschema.Schema{s.AnyOf, s.AllOf, s.OneOf, s.PrefixItems} {
		for _, one := range list {
			open(one)
		}
	}
	s.PropertyOrder = slices.Sorted(slices.Values(s.PropertyOrder))
}
