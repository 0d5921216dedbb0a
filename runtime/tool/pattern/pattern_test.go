package pattern_test

import (
	"strings"
	"testing"

	"shelly/runtime/tool/pattern"
)

func TestTOL29APatternIsNotLongerThanItLooks(t *testing.T) {
	for text, ok := range map[string]bool{
		`func \w+\(`: true, `[a-z]{1,63}(\.[a-z]{1,63}){1,8}`: true, strings.Repeat("a", 1000): true, `(?i)\p{L}{1,900}`: true,
		`a{0,999}`: true, `a{0,999}b{0,999}`: false, `(.{0,30}){0,30}`: true, `((.{0,30}){0,30}x){2}`: false, `(`: false, `a{1001}`: false,
	} {
		if _, err := pattern.Compile(text); (err == nil) != ok {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

func TestTOL29WhatHasALineEnd(t *testing.T) {
	for text, has := range map[string]bool{
		`a\nb`: true, "a\nb": true, `a(\r?\n)+`: true, `a[\r\n]+b`: true, `a[\n]`: true, `a\x0ab`: true, "(?s)a\n?": true,
		`printf\("hi\\n`: false, `a[^\n]*b`: false, `"[^"\n]*"`: false, `a\sb`: false, `[\s\S]`: false, `\Qa\n\E`: false, `a`: false, ``: false, `(\n`: false,
	} {
		if pattern.HasLineEnd(text) != has {
			t.Errorf("%q: %t; want %t", text, !has, has)
		}
	}
}
