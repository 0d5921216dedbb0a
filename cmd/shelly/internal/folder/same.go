package folder

import "os"

// Same reports whether two paths name the same folder, over whatever symbolic links they lead.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
