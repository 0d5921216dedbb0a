package reference

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"shelly/fsm/wording"
)

// Find returns the keys that a path names in a scenario or, if none does, in a property.
func Find(path string, scenario, property *Format) ([]Key, error) {
	keys, err := scenario.Find(path)
	if err == nil {
		return keys, nil
	}
	first, _, _ := strings.Cut(normal(path), ".")
	others, wrong := property.Find(path)
	if wrong == nil || property.root.Parts.get(first) != nil && scenario.root.Parts.get(first) == nil {
		return others, wrong
	}
	return nil, err
}

// Find returns the keys that a path names: brain[].sees, expect.tools.exec.starts, or a
// key's own name, wherever it is. An error says what was meant, where a key resembles it.
func (f *Format) Find(path string) ([]Key, error) {
	wanted := normal(path)
	if wanted == "" {
		return nil, fmt.Errorf("wants a key, such as expect.trace or brain[].sees")
	}
	all := f.Keys()
	var exact, named []Key
	var paths, names []string
	for _, k := range all {
		if fits(normal(k.Path), wanted) {
			exact = append(exact, k)
		}
		if k.Name == path {
			named = append(named, k)
		}
		paths, names = append(paths, k.Path), append(names, k.Name)
	}
	switch {
	case len(exact) > 0:
		return exact[:1], nil
	case len(named) > 0:
		return named, nil
	}
	if keys, ok := f.along(wanted); ok {
		return keys, nil
	}
	of, keys := f.above(wanted)
	last := wanted[strings.LastIndexByte(wanted, '.')+1:]
	others := "the keys of " + of + " are: " + strings.Join(keys, ", ")
	return nil, fmt.Errorf("unknown key %s; %s", wording.Word(path), wording.Meant(path, paths, wording.Meant(last, names, others)))
}

// above returns the longest beginning of a path that has keys in it, and these keys; the file
// itself has.
func (f *Format) above(path string) (of string, keys []string) {
	for at := strings.LastIndexByte(path, '.'); at > 0; at = strings.LastIndexByte(path, '.') {
		path = path[:at]
		if found, ok := f.along(path); ok && len(found[0].Inside) > 0 {
			return found[0].Path, found[0].Inside
		}
	}
	return cmp.Or(f.file, "a file"), namesOf(f.root.Parts)
}

func namesOf(m members) []string {
	var list []string
	for _, o := range m {
		list = append(list, o.name)
	}
	return list
}

// along follows a path from the file's root, also by ways that are not the shortest.
func (f *Format) along(path string) ([]Key, bool) {
	at := []kind{{of: f.root}}
	parts := strings.Split(path, ".")
	for i, part := range parts {
		var next []kind
		byName := false
		for _, k := range at {
			for _, m := range k.of.Parts {
				if m.name != part {
					continue
				}
				if i == len(parts)-1 {
					key := f.key(k, m)
					return []Key{key}, true
				}
				inner := f.mapsOf(m.of, join(k.path, m.name), m.name, 0)
				next = append(next, inner...)
				byName = byName || slices.ContainsFunc(inner, func(o kind) bool { return strings.Contains(strings.TrimPrefix(o.path, k.path), ".NAME") })
			}
			if strings.HasSuffix(k.path, "NAME") && k.of.Parts.get(part) == nil {
				next = append(next, kind{name: k.name, path: strings.TrimSuffix(k.path, ".NAME"), of: k.of}) // the part is a name
			}
		}
		if len(next) == 0 {
			return nil, false
		}
		at = next
	}
	return nil, false
}

// normal is a path without indices.
func normal(path string) string {
	return regexp.MustCompile(`\[[0-9]*\]`).ReplaceAllString(strings.TrimSpace(path), "")
}

// fits reports whether a path is a key's, in which NAME is any name.
func fits(key, path string) bool {
	return slices.EqualFunc(strings.Split(key, "."), strings.Split(path, "."), func(a, b string) bool { return a == b || a == "NAME" })
}
