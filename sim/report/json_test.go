package report

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// SCN-41: RULES.md tells of every field of the report with its type, in the order of
// the fields, and of no other.
func TestSCN41EveryFieldOfTheJSONReportIsDocumented(t *testing.T) {
	md, err := os.ReadFile("../scenario/RULES.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(md), "**SCN-41**")
	section, _, _ = strings.Cut(section, "\n**")
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` +\\| ([a-z ]+?) +\\| (.+?) +\\|$")
	var told []string
	for _, found := range row.FindAllStringSubmatch(section, -1) {
		told = append(told, found[1]+" "+found[2])
	}
	if diff := cmp.Diff(fields("", reflect.TypeFor[document]()), told); diff != "" {
		t.Errorf("-in the code +in RULES.md:\n%s", diff)
	}
}

// fields lists a type's fields as RULES.md does: path and JSON type.
func fields(prefix string, of reflect.Type) []string {
	var list []string
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind := f.Type
		path := prefix + name
		suffix := ""
		for kind.Kind() == reflect.Slice || kind.Kind() == reflect.Pointer {
			if kind.Kind() == reflect.Slice {
				path, suffix = path+"[]", " list"
			}
			kind = kind.Elem()
		}
		switch kind.Kind() {
		case reflect.Struct:
			list = append(list, path+" object"+suffix)
			list = append(list, fields(path+".", kind)...)
		case reflect.String:
			list = append(list, path+" text"+suffix)
		case reflect.Bool:
			list = append(list, path+" switch"+suffix)
		default:
			list = append(list, path+" number"+suffix)
		}
	}
	return list
}

// SCN-41: each field that is documented is there in a report of one case of each
// kind, and nothing else is.
func TestSCN41EveryFieldOfTheJSONReportIsWritten(t *testing.T) {
	var out bytes.Buffer
	some := Share{Taken: 1, Of: 2, Missing: []string{"one"}}
	must(t, JSON(&out, &Run{Cases: append(cases(t), made(), left()), Coverage: &Coverage{some, some, some, some, ""}, Times: true, Took: time.Second, Shard: "1/2", LeftOut: 1}))
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	var doc document
	must(t, d.Decode(&doc))
	var got []string
	filled("", reflect.ValueOf(doc), &got)
	for _, field := range fields("", reflect.TypeFor[document]()) {
		if path, _, _ := strings.Cut(field, " "); !slices.Contains(got, path) {
			t.Errorf("no case has %s: add one to cases", path)
		}
	}
}

// filled gathers the paths of the fields that are not empty.
func filled(prefix string, v reflect.Value, paths *[]string) {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		path := prefix + name
		if f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		switch f.Kind() {
		case reflect.Struct:
			filled(path+".", f, paths)
		case reflect.Slice:
			path += "[]"
			for j := range f.Len() {
				if e := f.Index(j); e.Kind() == reflect.Struct {
					filled(path+".", e, paths)
				}
			}
		}
		*paths = append(*paths, path)
	}
}
