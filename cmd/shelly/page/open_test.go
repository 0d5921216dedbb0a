package page

import (
	"slices"
	"testing"
)

func TestCLI165ABrowserIsOpenedWhereThereIsADisplay(t *testing.T) {
	for _, c := range []struct {
		system string
		env    map[string]string
		want   []string
	}{
		{"linux", nil, nil},
		{"linux", map[string]string{"DISPLAY": ":0"}, []string{"xdg-open"}},
		{"freebsd", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, []string{"xdg-open"}},
		{"darwin", nil, []string{"open"}},
		{"windows", nil, []string{"rundll32", "url.dll,FileProtocolHandler"}},
	} {
		if got := opener(c.system, func(name string) string { return c.env[name] }); !slices.Equal(got, c.want) {
			t.Errorf("%s with %v: %v, want %v", c.system, c.env, got, c.want)
		}
	}
}
