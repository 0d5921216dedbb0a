package strict

// Named is one member of a [ByName].
type Named[T any] struct {
	Name  string
	Value T
}

// ByName is a map from names that the file chooses, in the order of the file.
type ByName[T any] []Named[T]

// Read implements [Reader].
func (v *ByName[T]) Read(d *Decoder, n *Node, path string) {
	if n.Kind != MapKind {
		d.Add(n, path, "wants a map by name, found "+n.String())
		return
	}
	d.Members(n, path, func(key, value *Node, at string) {
		if key.Value == "" {
			d.Add(key, at, "the name is empty")
			return
		}
		m := Named[T]{Name: key.Value}
		d.Value(value, &m.Value, at)
		*v = append(*v, m)
	})
}

// Get returns the member of a name, or false.
func (v ByName[T]) Get(name string) (T, bool) {
	for _, m := range v {
		if m.Name == name {
			return m.Value, true
		}
	}
	var none T
	return none, false
}

// Several is one thing or a list of them.
type Several[T any] []T

// Read implements [Reader].
func (v *Several[T]) Read(d *Decoder, n *Node, path string) {
	if n.Kind == ListKind {
		d.List(n, (*[]T)(v), path)
		return
	}
	*v = make(Several[T], 1)
	d.Value(n, &(*v)[0], path)
}

// Each calls fn with each of the things and its path: that of the key where the file has
// one thing and no list.
func (v Several[T]) Each(where func(path string) Pos, key string, fn func(at string, v *T)) {
	for i := range v {
		at := Element(key, i)
		if where(at) == (Pos{}) {
			at = key
		}
		fn(at, &v[i])
	}
}
