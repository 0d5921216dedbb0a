// Package lately keeps in memory what was used last of what is kept elsewhere, within a bound.
//
//	k := lately.Keep[string, Session](4 << 20)
//	k.Put(id, session, bytes)
//	session, ok := k.Get(id)
//	k.Drop(id)
//
// What is put is shared with whoever gets it: nobody may change it in place.
package lately

import "container/list"

// Kept is what was used last, by a key. It is not safe for concurrent use.
type Kept[K comparable, V any] struct {
	most  int // bytes
	bytes int // of all
	of    map[K]*list.Element
	order *list.List // of entries; the one that was used last comes last
}

type entry[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

// Keep returns what keeps at most so many bytes, as [Kept.Put] is told of them.
func Keep[K comparable, V any](bytesMax int) *Kept[K, V] {
	return &Kept[K, V]{most: bytesMax, of: map[K]*list.Element{}, order: list.New()}
}

// Get returns what is kept under a key, or false.
func (k *Kept[K, V]) Get(key K) (v V, ok bool) {
	at, ok := k.of[key]
	if !ok {
		return v, false
	}
	k.order.MoveToBack(at)
	return at.Value.(entry[K, V]).value, true
}

// Put keeps a value in place of the one under its key, and of those that were not used for
// longest. One that takes more than a quarter of the bound is not kept: the others are worth
// more.
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

// Drop forgets what is kept under a key.
func (k *Kept[K, V]) Drop(key K) {
	if at, ok := k.of[key]; ok {
		k.remove(at)
	}
}

// Clear forgets all.
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
