package config

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/zone"
	"shelly/sim/strict"
)

// Bytes is a size in bytes.
type Bytes int64

// The units of a size.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
	TiB Bytes = 1 << 40
)

// String returns the size in the largest unit that divides it.
func (b Bytes) String() string {
	for _, u := range byteUnits() {
		if b != 0 && b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

type byteUnit struct {
	name string
	size Bytes
}

func byteUnits() []byteUnit {
	return []byteUnit{{"TiB", TiB}, {"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}}
}

// place is what the meaning of a path depends on.
type place struct {
	dir  string // relative paths are relative to this folder
	home string
}

// parse parses a value in the form that all sources share. Errors say what is wrong with the text
// without naming the key.
func (f field) parse(text string, p place) (reflect.Value, error) {
	v, err := f.read(text, p)
	if err != nil {
		return reflect.Value{}, err
	}
	return v, f.inRange(v, p)
}

func (f field) read(text string, p place) (reflect.Value, error) {
	v := reflect.New(f.typ).Elem()
	if f.isNamed() {
		return f.readNamed(text, p)
	}
	switch f.typ {
	case reflect.TypeFor[int](), reflect.TypeFor[fsm.Share]():
		n, err := parseInt(text)
		v.SetInt(n)
		return v, err
	case reflect.TypeFor[time.Duration]():
		d, err := parseDuration(text)
		v.SetInt(int64(d))
		return v, err
	case reflect.TypeFor[fsm.Millis]():
		d, err := parseDuration(text)
		v.SetInt(d.Milliseconds())
		return v, err
	case reflect.TypeFor[Bytes]():
		b, err := parseBytes(text)
		v.SetInt(int64(b))
		return v, err
	case reflect.TypeFor[Temperature]():
		t, err := parseTemperature(text)
		v.SetInt(int64(t))
		return v, err
	case reflect.TypeFor[bool]():
		if text != "true" && text != "false" {
			return v, fmt.Errorf("wants true or false, not %s", wording.Quote(text))
		}
		v.SetBool(text == "true")
		return v, nil
	case reflect.TypeFor[[]fsm.Millis](), reflect.TypeFor[[]string]():
		return f.readList(text, p)
	default:
		s, err := f.readText(text, p)
		if f.zero != "" && s == f.zero {
			s = ""
		}
		v.SetString(s)
		return v, err
	}
}

// listMax is the most items that a list may have.
const listMax = 64

// readList reads items separated by commas. Brackets around them are optional, except for an empty
// list.
func (f field) readList(text string, p place) (reflect.Value, error) {
	v := reflect.New(f.typ).Elem()
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "["); ok && !addresses(text) {
		if text, ok = strings.CutSuffix(inner, "]"); !ok {
			return v, fmt.Errorf("wants %s, not %s", f.wants(), wording.Quote("["+inner))
		}
	}
	if strings.TrimSpace(text) == "" {
		return v, nil
	}
	items := strings.Split(text, ",")
	if len(items) > listMax {
		return v, fmt.Errorf("has %d items; the most is %d", len(items), listMax)
	}
	for _, text := range items {
		item, err := f.item().read(strings.TrimSpace(text), p)
		if err != nil {
			return v, err
		}
		v = reflect.Append(v, item)
	}
	return v, nil
}

// addresses reports whether a text begins with the brackets of an IPv6 address rather than those of
// a list.
func addresses(text string) bool {
	if strings.HasSuffix(text, "]") {
		return false
	}
	return withoutAddress(text) != text
}

// item returns a field for one item of a list.
func (f field) item() field {
	f.typ = f.typ.Elem()
	if f.is != "path" && f.is != "zone" {
		f.is = "name"
	}
	return f
}

func (f field) isList() bool { return f.typ.Kind() == reflect.Slice && !f.isNamed() }

func (f field) isDuration() bool {
	return f.typ == reflect.TypeFor[time.Duration]() || f.typ == reflect.TypeFor[fsm.Millis]()
}

// readText checks a text by its form.
func (f field) readText(text string, p place) (string, error) {
	switch {
	case f.is == "listen":
		return parseListen(text)
	case strings.TrimSpace(text) == "" && f.emptyOK:
		return "", nil
	case strings.TrimSpace(text) == "":
		return "", errors.New("is empty")
	case f.of != nil && !slices.Contains(f.of, text):
		if near := wording.Nearest(text, f.of); near != "" {
			return "", fmt.Errorf("%s is not one of %s; did you mean %s?", wording.Quote(text), strings.Join(f.of, ", "), near)
		}
		return "", fmt.Errorf("%s is not one of %s", wording.Quote(text), strings.Join(f.of, ", "))
	case f.is == "prompt":
		return text, fsm.CheckPrompt(text)
	case strings.ContainsFunc(text, isControl):
		return "", errors.New("holds a control character")
	case f.is == "server":
		return parseServer(text)
	case f.is == "url":
		return parseURL(text)
	case f.is == "path":
		return p.path(text)
	case f.is == "hours":
		if _, ok := fsm.ParseQuiet(text); !ok {
			return "", fmt.Errorf("wants hours such as 22:00-08:00, not %s", wording.Quote(text))
		}
		return text, nil
	case f.is == "zone":
		_, err := zone.Named(text, time.Unix(0, 0))
		return text, err
	default:
		return text, nil
	}
}

// path makes a path absolute.
func (p place) path(text string) (string, error) {
	if text == "~" || strings.HasPrefix(text, "~/") {
		if p.home == "" {
			return "", errors.New("begins with ~, but there is no home folder")
		}
		return filepath.Join(p.home, text[1:]), nil
	}
	if filepath.IsAbs(text) {
		return filepath.Clean(text), nil
	}
	return filepath.Join(p.dir, text), nil
}

// Absolute returns the value of a key with its relative paths made absolute, for a process with another
// current folder than dir. What begins with ~ stays, because its user may be another, too. A value that is
// wrong is returned as it is.
func Absolute(key, text, dir string) string {
	f, ok := newSchema().field(key)
	if !ok || f.is != "path" && !f.isNamed() {
		return text
	}
	v, err := f.parse(text, place{dir: dir, home: "~"})
	if err != nil {
		return text
	}
	return f.format(v)
}

// inRange checks a value against its bounds.
func (f field) inRange(v reflect.Value, p place) error {
	if f.within == (strict.Range{}) {
		return nil
	}
	if f.isList() {
		for i := range v.Len() {
			if err := f.item().inRange(v.Index(i), p); err != nil {
				return err
			}
		}
		return nil
	}
	if v.Type() == reflect.TypeFor[Temperature]() && v.Int() <= 0 {
		return nil // the model's own, or exactly 0
	}
	wrong := f.within.Wrong(v.Int(), f.format(v), func(bound string) (int64, error) {
		limit, err := f.read(bound, p)
		return limit.Int(), err
	})
	if wrong != "" {
		return errors.New(wrong)
	}
	return nil
}

// parseInt parses a plain decimal number. Octal, hexadecimal and grouped forms mean different
// things in different places, so they are rejected.
func parseInt(text string) (int64, error) {
	digits := strings.TrimPrefix(text, "-")
	plain := digits != "" && strings.Trim(digits, "0123456789") == "" && (digits == "0" || digits[0] != '0')
	n, err := strconv.ParseInt(text, 10, 64)
	if !plain {
		return 0, fmt.Errorf("wants a plain whole number, not %s", wording.Quote(text))
	}
	if err != nil {
		return 0, fmt.Errorf("%s is too large", wording.Clip(text, wording.ShownMax))
	}
	return n, nil
}

// parseTemperature parses a decimal number with at most three places.
func parseTemperature(text string) (Temperature, error) {
	if text == ownTemperature {
		return 0, nil
	}
	whole, places, _ := strings.Cut(text, ".")
	plain := whole != "" && strings.Trim(whole+places, "0123456789") == "" && !strings.HasSuffix(text, ".")
	if plain && len(whole) > 3 {
		return 0, fmt.Errorf("%s is too large", wording.Clip(text, wording.ShownMax))
	}
	if !plain {
		return 0, fmt.Errorf("wants a number such as 0.7, or %s for the model's own, not %s", ownTemperature, wording.Quote(text))
	}
	if len(places) > 3 {
		return 0, fmt.Errorf("%s is finer than a thousandth", wording.Clip(text, wording.ShownMax))
	}
	n, err := strconv.Atoi(whole + (places + "000")[:3])
	if n == 0 {
		n = -1
	}
	return Temperature(n), err
}

// ownTemperature is the word for the model's own temperature.
const ownTemperature = "model"

// String returns the temperature as a source would give it.
func (t Temperature) String() string {
	if t == 0 {
		return ownTemperature
	}
	return strconv.FormatFloat(float64(max(t, 0))/1000, 'f', -1, 64)
}

func parseBytes(text string) (Bytes, error) {
	number, unit := text, Bytes(1)
	for _, u := range byteUnits() {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := parseInt(number)
	switch {
	case strings.HasPrefix(number, "-") && err == nil:
		return 0, fmt.Errorf("%s is negative", wording.Clip(text, wording.ShownMax))
	case err != nil && strings.Trim(number, "0123456789") != "":
		return 0, fmt.Errorf("wants a size such as 65536, 64KiB or 64MiB, not %s", wording.Quote(text))
	case err != nil:
		return 0, err
	case n > math.MaxInt64/int64(unit):
		return 0, fmt.Errorf("%s is too large", wording.Clip(text, wording.ShownMax))
	}
	return Bytes(n) * unit, nil
}

// format returns a value as a source would give it; secrets in it are masked.
func (f field) format(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return formatDuration(x)
	case fsm.Millis:
		return formatDuration(duration(x))
	}
	if f.isNamed() {
		return formatNamed(v)
	}
	if f.isList() {
		items := make([]string, v.Len())
		for i := range items {
			items[i] = f.item().format(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	text := fmt.Sprint(v.Interface())
	switch {
	case text == "" && f.zero != "":
		return f.zero
	case f.is == "server", f.is == "url":
		return withoutPassword(text)
	case f.is == "listen" && text == "":
		return "off"
	}
	return text
}

func duration(m fsm.Millis) time.Duration { return time.Duration(m) * time.Millisecond }
