package page

import (
	"os"
	"os/exec"
	"runtime"
)

// open opens a link in the system's browser, without waiting for it. It returns false if there
// is no display.
func open(link string) (bool, error) {
	argv := opener(runtime.GOOS, os.Getenv)
	if argv == nil {
		return false, nil
	}
	opening := exec.Command(argv[0], append(argv[1:], link)...)
	if err := opening.Start(); err != nil {
		return false, err
	}
	return true, opening.Process.Release()
}

// opener returns the command that opens a link on a system, or nil if there is no display.
func opener(system string, env func(string) string) []string {
	switch system {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	default:
		if env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
			return nil
		}
		return []string{"xdg-open"}
	}
}
