// Package lately is a bounded cache in memory of values that are stored elsewhere. It keeps those
// that were used most recently.
//
//	k := lately.Keep[string, Session](4 << 20)
//	k.Put(id, session, bytes)
//	session, ok := k.Get(id)
//	k.Drop(id)
//
// A value is shared by everyone who gets it, so it must not be changed in place.
package lately

import "container/list"

// Kept is a cache of values by key. It is not safe for concurrent use.
type Kept[K comparable, V any] struct {
	most  int // bytes
	bytes int // of all values
	of    map[K]*list.Element
	order *list.List // of entries, the most recently used last
}

type entry[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

// Keep returns a [Kept] that holds at most bytesMax bytes, counted as given to [Kept.Put].
func Keep[K comparable, V any](bytesMax int) *Kept[K, V] {
	return &Kept[K, V]{most: bytesMax, of: map[K]*list.Element{}, order: list.New()}
}

// Get returns the value of a key, or false.
func (k *Kept[K, V]) Get(key K) (v V, ok bool) {
	at, ok := k.of[key]
	if !ok {
		return v, false
	}
	k.order.MoveToBack(at)
	return at.Value.(entry[K, V]).value, true
}

// Put sets the value of a key, and drops the least recently used values to make room. A value of
// more than a quarter of the bound is not kept, because the others are worth more.
func (k *Kept[K, V]) Put(key K, v V, bytes int) {
	k.Drop(key)
	if bytes > k.most/4 {
		return
	}
	k.of[key] = k.order.PushBack(entry[K, V]{key, v, bytes})
	k.bytes += bytes
	for k.bytes > k.most {
		k.remove(k.order.Front())
	}
}

// Drop removes the value of a key.
func (k *Kept[K, V]) Drop(key K) {
	if at, ok := k.of[key]; ok {
		k.remove(at)
	}
}

// Clear removes all values.
func (k *Kept[K, V]) Clear() {
	clear(k.of)
	k.order.Init()
	k.bytes = 0
}

func (k *Kept[K, V]) remove(at *list.Element) {
	e := k.order.Remove(at).(entry[K, V])
	delete(k.of, e.key)
	k.bytes -= e.bytes
}
