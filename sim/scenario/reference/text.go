package reference

import (
	"fmt"
	"strings"
)

// Text is a key as a person reads it on a terminal.
func (k *Key) Text(e Examples) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  (%s%s)\n  %s\n", k.Path, k.takes(), k.where(), k.Meaning)
	if k.Default != "" {
		fmt.Fprintf(&b, "  default: %s\n", k.Default)
	}
	if len(k.Words) > 0 {
		fmt.Fprintf(&b, "  words:   %s\n", strings.Join(k.Words, ", "))
	}
	if len(k.Inside) > 0 {
		fmt.Fprintf(&b, "  keys:    %s\n", strings.Join(k.Inside, ", "))
	}
	if len(k.Rules) > 0 {
		fmt.Fprintf(&b, "  rules:   %s\n", strings.Join(k.Rules, ", "))
	}
	if shown, ok := e[k.ID()]; ok {
		fmt.Fprintf(&b, "  example: %s\n           in %s\n", shown.Text, shown.File)
	}
	return b.String()
}

// takes is what a key takes, on a word or two.
func (k *Key) takes() string {
	if k.Required {
		return k.Type + ", required"
	}
	return k.Type
}

// where is the files that have the key, where they are no scenarios.
func (k *Key) where() string {
	if k.In == "" {
		return ""
	}
	return ", in " + k.In
}
