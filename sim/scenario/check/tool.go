package check

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// checkChanges wants of an entry that changes the world that it may, and that it
// does one thing to each name.
func (k *checker) checkChanges(path string, e *format.Entry) {
	changes := compile.Changes(e)
	if len(changes) > 0 && (e.Asks != "" || e.Nothing || e.Fails != nil && e.Fails.Retryable) {
		k.at(path, "writes, appends and removes change the world, but the entry says that nothing happened (nothing, retryable, asks)")
	}
	var names []string
	for _, c := range changes {
		if slices.Contains(names, c.Name) {
			k.at(path, "changes "+wording.Word(c.Name)+" twice; one of writes, appends and removes is for a name")
		}
		names = append(names, c.Name)
	}
}

func (k *checker) checkTool(path string, entries format.Entries) {
	effects := ""
	for i, e := range entries {
		at := strict.Element(path, i)
		k.oneOf(at, given("returns", e.Returns != nil), given("asks", e.Asks != ""), given("reads", e.Reads != ""), given("fails", e.Fails != nil), given("hangs", e.Hangs),
			given("deaf", e.Deaf), given("started_then_lost", e.Lost))
		k.oneOf(at, given("retryable", e.Fails != nil && e.Fails.Retryable), given("invalid", e.Invalid))
		if e.Fails == nil && (e.Nothing || e.Invalid) {
			k.at(at, "nothing and invalid belong to fails")
		}
		if p := e.Probe; p != nil && p.Returns != nil && p.Answers != format.ProbeTruth && p.Answers != string(fsm.ProbeDone) {
			k.at(at+".probe", "returns belongs to answers: done and answers: truth")
		}
		k.checkChanges(at, &e)
		switch {
		case e.Effects == "":
		case effects != "" && e.Effects != effects:
			k.at(at+".effects", "an entry before says "+effects+"; a tool has the same effects in all its entries")
		default:
			effects = e.Effects
		}
	}
}

// checkGrants wants of each grant that it says what it is for.
func (k *checker) checkGrants(path string, grants []format.Grant) {
	for i, g := range grants {
		at := strict.Element(path, i)
		if k.oneOf(at, given("match", len(g.Match) > 0), given("any", g.Any)) == 0 {
			k.at(at, "give match, or any: true where every call of the tool is meant")
		}
	}
}

func (k *checker) checkOutage(path string, o *format.Outage) {
	if o != nil && k.oneOf(path, given("fails", o.Fails != ""), given("hangs", o.Hangs), given("works", o.Works)) == 0 && o.Takes == nil {
		k.at(path, "says nothing; give one of fails, hangs: true, works: true and takes")
	}
}
