package document

import (
	"fmt"
	"slices"

	"shelly/sim/strict"
)

// joinedLists are the keys whose lists are joined; any other list takes the place of
// those of fragments.
func joinedLists() []string { return []string{"covers", "tags", "always", "never", "eventually"} }

// pair is a member of a map.
type pair struct{ key, value *strict.Node }

func pairsOf(n *strict.Node) []pair {
	pairs := make([]pair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		pairs = append(pairs, pair{n.Content[i], n.Content[i+1]})
	}
	return pairs
}

// joined returns one map for several of a path, the last of which has the first word: its
// members come first, then those that only the others have. A member that several
// have is chosen by pick, from the first map's to the last's.
//
// The maps stay as they are. A key that the scenario itself has twice stays twice, so
// that the decoder tells it; one that a fragment has twice is reported here.
func (in *including) joined(path string, maps []*strict.Node, pick func(key string, values []*strict.Node) *strict.Node) *strict.Node {
	own := maps[len(maps)-1]
	having := map[string][]pair{} // a member of each map that has it; only looked up
	for _, n := range maps {
		first := map[string]*strict.Node{}
		for _, p := range pairsOf(n) {
			before, twice := first[p.key.Value]
			switch {
			case !twice:
				first[p.key.Value] = p.key
				having[p.key.Value] = append(having[p.key.Value], p)
			case n.File != "":
				in.problem(p.key, strict.Member(path, p.key.Value), fmt.Sprintf("already given on line %d", before.Line))
			}
		}
	}
	whole := *own
	whole.Content = nil
	seen := map[string]bool{}
	for _, n := range append([]*strict.Node{own}, maps[:len(maps)-1]...) {
		for _, p := range pairsOf(n) {
			if list := having[p.key.Value]; !seen[p.key.Value] {
				values := make([]*strict.Node, len(list))
				for i := range list {
					values[i] = list[i].value
				}
				p = pair{list[len(list)-1].key, pick(p.key.Value, values)}
			} else if n != own {
				continue
			}
			seen[p.key.Value] = true
			whole.Content = append(whole.Content, p.key, p.value)
		}
	}
	return &whole
}

// pickKey joins what several files give for a key of a scenario: maps by their
// members, some lists by their entries; of anything else the last counts.
func (in *including) pickKey(key string, values []*strict.Node) *strict.Node {
	last := values[len(values)-1].Follow()
	var alike []*strict.Node
	for _, v := range values {
		if v = v.Follow(); v.Kind == last.Kind {
			alike = append(alike, v)
		}
	}
	switch {
	case len(alike) == 1:
		return values[len(values)-1]
	case last.Kind == strict.MapKind:
		return in.joined(key, alike, func(_ string, values []*strict.Node) *strict.Node { return values[len(values)-1] })
	case last.Kind == strict.ListKind && slices.Contains(joinedLists(), key):
		whole := *last
		whole.Content = nil
		for _, v := range alike {
			whole.Content = append(whole.Content, v.Content...)
		}
		return &whole
	default:
		return values[len(values)-1]
	}
}
