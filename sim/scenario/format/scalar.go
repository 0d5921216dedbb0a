package format

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

// Duration is a length of virtual time, written as 300s, 1.5s or 200ms. It is
// whole milliseconds and not negative.
type Duration fsm.Millis

// Or is the duration, or another where it is not given.
func (v *Duration) Or(other fsm.Millis) fsm.Millis {
	if v == nil {
		return other
	}
	return fsm.Millis(*v)
}

// tooLong reports whether a text is written as a duration, of more than Go knows.
func tooLong(text string, err error) bool {
	return err != nil && regexp.MustCompile(`^[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(h|m|s|ms|us|µs|ns))+$`).MatchString(text)
}

// Read implements [strict.Reader].
func (v *Duration) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Kind != strict.TextKind {
		d.Add(n, path, "wants a duration such as 300s, not "+n.String())
		return
	}
	length, err := time.ParseDuration(n.Value)
	switch {
	case tooLong(n.Value, err):
		d.Add(n, path, "the duration "+wording.Word(n.Value)+" is too large; the most is about 290 years (2540000h)")
	case err != nil:
		d.Add(n, path, "wants a duration such as 300s or 1.5s, not "+wording.Quote(n.Value)+wording.Days(n.Value))
	case length < 0:
		d.Add(n, path, "the duration "+wording.Word(n.Value)+" is negative")
	case length%time.Millisecond != 0:
		d.Add(n, path, "the duration "+wording.Word(n.Value)+" is not in whole milliseconds")
	default:
		*v = Duration(length / time.Millisecond)
	}
}

// Leap is a length of time forward, or back where it is negative, written as 1h or -30m.
// It is whole milliseconds and not 0.
type Leap fsm.Millis

func (v *Leap) Read(d *strict.Decoder, n *strict.Node, path string) {
	length, err := time.ParseDuration(n.Value)
	switch {
	case n.Scalar() && tooLong(n.Value, err):
		d.Add(n, path, "the duration "+wording.Word(n.Value)+" is more than 10 years (87600h)")
	case !n.Scalar() || err != nil:
		d.Add(n, path, "wants a duration forward such as 1h or back such as -30m, not "+n.String()+wording.Days(n.Value))
	case length == 0 || length%time.Millisecond != 0:
		d.Add(n, path, "the duration "+wording.Word(n.Value)+" is not in whole milliseconds other than 0")
	case length.Abs() > leapMax:
		d.Add(n, path, "the duration "+wording.Word(n.Value)+" is more than 10 years (87600h)")
	default:
		*v = Leap(length / time.Millisecond)
	}
}

// leapMax keeps the wall clock within the years that schedules know.
const leapMax = 87600 * time.Hour

// Count is a number of at least 1.
type Count int

// Or is the number, or another where it is not given.
func (v *Count) Or(other int) int {
	if v == nil {
		return other
	}
	return int(*v)
}

// Read implements [strict.Reader].
func (v *Count) Read(d *strict.Decoder, n *strict.Node, path string) {
	number, ok := d.Number(n, path)
	switch {
	case !ok:
	case number < 1:
		d.Add(n, path, "wants a number of at least 1, not "+strconv.Itoa(number))
	default:
		*v = Count(number)
	}
}

// Time is an instant, written as 2026-01-05T09:00:00Z.
type Time fsm.Millis

func (v *Time) Read(d *strict.Decoder, n *strict.Node, path string) {
	instant, err := time.Parse(time.RFC3339, n.Value)
	if !n.Scalar() || err != nil {
		d.Add(n, path, `wants a time such as "2026-01-05T09:00:00Z", not `+n.String()+data.NoTime(n.Value))
		return
	}
	*v = Time(instant.UnixMilli())
}

// Offset is how far local time is ahead of UTC, in seconds.
type Offset int

func (v *Offset) Read(d *strict.Decoder, n *strict.Node, path string) {
	z, ok := fsm.ParseOffset(n.Value)
	if n.Kind != strict.TextKind || !ok { // +0200 is a number of YAML, in which its form is lost
		d.Add(n, path, `wants an offset from UTC such as "+02:00", as text and at most 14:59, not `+n.String())
		return
	}
	*v = Offset(z.Offset)
}

// Args are a tool call's arguments as one JSON object, its keys in the order of
// the file. The zero value is {}.
type Args string

func (v *Args) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Kind != strict.MapKind {
		d.Add(n, path, "wants a map of arguments, found "+n.String())
		return
	}
	if value, ok := data.Read(d, n, path); ok {
		*v = Args(value.JSON())
	}
}

// Chance is a probability from 0 to 1 with at most three decimals, kept in thousandths.
type Chance int

const chanceForm = `^(0|1|[01]?\.[0-9]+)$`

func (v *Chance) Read(d *strict.Decoder, n *strict.Node, path string) {
	if !n.Scalar() || !regexp.MustCompile(chanceForm).MatchString(n.Value) {
		d.Add(n, path, "wants a probability from 0 to 1 such as 0.15, not "+n.String())
		return
	}
	whole, decimals, _ := strings.Cut(n.Value, ".")
	if decimals = strings.TrimRight(decimals, "0"); len(decimals) > 3 {
		d.Add(n, path, "the probability "+wording.Word(n.Value)+" has more than three decimals")
		return
	}
	thousandths, _ := strconv.Atoi(whole + (decimals + "000")[:3]) // digits, as the form has it
	if thousandths > 1000 {
		d.Add(n, path, "the probability "+wording.Word(n.Value)+" is more than 1")
		return
	}
	*v = Chance(thousandths)
}

// Seed is a number from which a case's choices come, from 1.
type Seed uint64

func (v *Seed) Read(d *strict.Decoder, n *strict.Node, path string) {
	seed, err := strconv.ParseUint(n.Value, 10, 64)
	if !n.Scalar() || n.Kind != strict.IntKind || err != nil || seed == 0 {
		d.Add(n, path, "wants a whole number from 1 to 18446744073709551615, not "+n.String())
		return
	}
	*v = Seed(seed)
}

// Data is plain data of any kind, as JSON with its keys in the order of the file.
type Data string

func (v *Data) Read(d *strict.Decoder, n *strict.Node, path string) {
	if value, ok := data.Read(d, n, path); ok {
		*v = Data(value.JSON())
	}
}
