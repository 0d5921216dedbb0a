package misfit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"shelly/fsm/wording"
)

// Worded returns the error of reading JSON in the words of JSON: where a value is not of the expected
// type, the library names types of Go, and before an unknown field itself. Other errors are returned as
// they are.
func Worded(err error) error {
	if err == nil {
		return nil
	}
	if unknown, is := strings.CutPrefix(err.Error(), "json: unknown field"); is {
		return errors.New("unknown field" + unknown)
	}
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) || kind.Type == nil {
		return err
	}
	what := "a value"
	if name := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]; name != "" {
		what = wording.Quote(name)
	}
	return fmt.Errorf("%s is %s, not %s", what, found(kind.Value), expected(kind.Type))
}

// found words a value that encoding/json names by its type, or that another library has left as it
// was written.
func found(value string) string {
	switch {
	case strings.HasPrefix(value, "string"), strings.HasPrefix(value, `"`):
		return "a text"
	case strings.HasPrefix(value, "array"), strings.HasPrefix(value, "["):
		return "a list"
	case strings.HasPrefix(value, "object"), strings.HasPrefix(value, "{"):
		return "an object"
	case strings.HasPrefix(value, "bool"), strings.HasPrefix(value, "true"), strings.HasPrefix(value, "false"):
		return "true or false"
	case strings.HasPrefix(value, "number "):
		return "the number " + wording.Clip(value[len("number "):], wording.ShownMax)
	default:
		return "a number"
	}
}

// expected words what values of a type are written as.
func expected(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	default:
		return "a whole number"
	}
}
