package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/secrets"
	"shelly/fsm/wording"
	"shelly/runtime/access"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/datafolder"
	"shelly/runtime/grants"
	"shelly/runtime/system"
)

// configuration reports that the configuration loads, or that everybody may change its file, and with it
// the programs that shelly starts (CLI-10).
func (x *examination) configuration(file string) {
	file = configured(file)
	info, err := os.Stat(file)
	if err == nil && info.Mode().Perm()&0o002 != 0 {
		if _, _, known := system.Owner(info); known {
			x.warn("configuration", "loads, but any user of this machine may change "+file, "chmod o-w "+wording.ShellArgument(file))
			return
		}
	}
	x.ok("configuration", "loads")
}

// configured is the configuration file: the given one, or else the user's.
func configured(given string) string {
	home, _ := os.UserHomeDir()
	return cmp.Or(given, config.DefaultFile(os.Environ(), home))
}

// replaced reports where a configuration out of a bundle still lacks its secrets (DEP-7).
func (x *examination) replaced(file string) {
	if left := secrets.Left(configured(file)); left != "" {
		x.warn("secrets", "placeholders stand for secrets in "+left, "set the secrets there again: bundle make has left them out")
	}
}

// files reports files next to the store with which a start ends, or the requests after it (CLI-10).
func (x *examination) files(data string) {
	if _, err := os.ReadDir(data); err != nil || !x.readable(data) { // the store's examination says why it cannot be read
		return
	}
	if _, err := client.ReadToken(data); err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.fail("token", err.Error(), "")
	}
	if _, err := access.Open(data, access.Options{}); err != nil {
		x.fail("tokens", err.Error(), "")
	}
	if _, err := grants.Of(data).Load(); err != nil {
		x.fail("approvals", err.Error(), "")
	}
}

// readable reports whether this user may read the files of a data folder, such as those that were
// made by root.
func (x *examination) readable(data string) bool {
	var closed []string
	for _, dir := range []string{data, datafolder.Store(data), filepath.Join(data, "memory"), datafolder.Logs(data)} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // so does it of a folder in it
		}
		for _, e := range entries {
			if !e.Type().IsRegular() {
				continue
			}
			name := filepath.Join(dir, e.Name())
			if f, err := os.Open(name); err == nil {
				_ = f.Close()
			} else if errors.Is(err, fs.ErrPermission) {
				closed = append(closed, name)
			}
		}
	}
	if len(closed) > 0 {
		here := wording.ShellWord(data)
		x.fail("data folder", fmt.Sprintf("this user may not read %s in it, such as %s", wording.Count(len(closed), "file"), closed[0]),
			fmt.Sprintf("give the folder back to this user, as root: chown -R %d %s; chmod -R u+rwX %s", os.Geteuid(), here, here))
	}
	return len(closed) == 0
}
