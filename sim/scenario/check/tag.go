package check

import (
	"shelly/fsm/wording"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// checkTags keeps to tags that --tags can name.
func (k *checker) checkTags(f *format.File) {
	for i, tag := range f.Tags {
		if !choose.ValidTag(tag) {
			k.at(strict.Element("tags", i), "wants a word of letters, digits and -_./: that is not and, or, not; found "+wording.Word(tag))
		}
	}
}
