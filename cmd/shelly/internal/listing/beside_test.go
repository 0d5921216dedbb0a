package listing

import "testing"

func TestCLI210ATextIsWrappedBesideItsName(t *testing.T) {
	const text = "shelly     serving, up 5 min, v1 (3 starts)\ndisk       the store takes 15 kB; 36 MB are free, 67 MB of them in reserve\n           and more\n"
	for columns, want := range map[int]string{ // order-free: each is alone
		0:   text,
		100: text,
		44:  "shelly     serving, up 5 min, v1 (3 starts)\ndisk       the store takes 15 kB; 36 MB are\n           free, 67 MB of them in reserve\n           and more\n",
		30:  "shelly     serving, up 5 min,\nv1 (3 starts)\ndisk       the store takes 15\nkB; 36 MB are free, 67 MB of\nthem in reserve\n  and more\n",
	} {
		if got := Beside(text, 11, columns); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", columns, got, want)
		}
	}
}
