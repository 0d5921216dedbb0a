package scenario

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Several is one thing or a list of them.
type Several[T any] []T

func (v *Several[T]) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind == yaml.SequenceNode {
		d.list(n, reflect.ValueOf((*[]T)(v)).Elem(), path)
		return
	}
	*v = make(Several[T], 1)
	d.value(n, reflect.ValueOf(&(*v)[0]).Elem(), path)
}

// several calls fn with each of a list and its path: that of the key where the file has
// one thing and no list.
func several[T any](list Several[T], where map[string]Pos, key string, fn func(at string, v *T)) {
	for i := range list {
		at := element(key, i)
		if _, listed := where[at]; !listed {
			at = key
		}
		fn(at, &list[i])
	}
}

// Chance is a probability from 0 to 1 with at most three decimals, kept in thousandths.
type Chance int

const chanceForm = `^(0|1|[01]?\.[0-9]+)$`

func (v *Chance) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind != yaml.ScalarNode || !regexp.MustCompile(chanceForm).MatchString(n.Value) {
		d.add(n, path, "wants a probability from 0 to 1 such as 0.15, not "+kindOf(n))
		return
	}
	whole, decimals, _ := strings.Cut(n.Value, ".")
	if decimals = strings.TrimRight(decimals, "0"); len(decimals) > 3 {
		d.add(n, path, "the probability "+shown(n.Value)+" has more than three decimals")
		return
	}
	thousandths, _ := strconv.Atoi(whole + (decimals + "000")[:3]) // digits, as the form has it
	if thousandths > 1000 {
		d.add(n, path, "the probability "+shown(n.Value)+" is more than 1")
		return
	}
	*v = Chance(thousandths)
}

// Seed is a number from which a case's choices come, from 1.
type Seed uint64

func (v *Seed) read(d *decoder, n *yaml.Node, path string) {
	seed, err := strconv.ParseUint(n.Value, 10, 64)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || err != nil || seed == 0 {
		d.add(n, path, "wants a whole number from 1 to 18446744073709551615, not "+kindOf(n))
		return
	}
	*v = Seed(seed)
}
