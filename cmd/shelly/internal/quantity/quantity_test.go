package quantity_test

import (
	"testing"
	"time"

	"shelly/cmd/shelly/internal/quantity"
)

func TestSizesAreRounded(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 3_678_962: "3.6 MB", 12_345_678: "12 MB", 5_225_388_164: "5.2 GB", 40e9: "40 GB", 7e15: "7000 TB",
	} {
		if got := quantity.Bytes(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	if got := quantity.Of(210_000_000, 5_225_388_164); got != "0.2 of 5.2 GB" {
		t.Errorf("got %q; want %q", got, "0.2 of 5.2 GB")
	}
}

func TestTimesAreRounded(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "1 s", 119 * time.Second: "119 s", 2 * time.Minute: "2 min", 119 * time.Minute: "119 min", 125 * time.Minute: "2 h 5 min",
	} {
		if got := quantity.Time(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
