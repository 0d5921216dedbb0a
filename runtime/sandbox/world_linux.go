package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// What commands see of the system, besides the workspace. Of /etc they see only what programs
// need to run, because it also holds secrets, which root may read.
var (
	systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"}
	systemEtc  = []string{
		"/etc/alternatives", "/etc/bash.bashrc", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/debian_version", "/etc/default/locale",
		"/etc/fonts", "/etc/gitconfig", "/etc/groff", "/etc/group", "/etc/host.conf", "/etc/inputrc", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
		"/etc/locale.alias", "/etc/locale.conf", "/etc/localtime", "/etc/magic", "/etc/magic.mime", "/etc/man_db.conf", "/etc/manpath.config", "/etc/mime.types", "/etc/nsswitch.conf",
		"/etc/os-release", "/etc/passwd", "/etc/perl", "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/profile",
		"/etc/protocols", "/etc/python3", "/etc/python3.11", "/etc/python3.12", "/etc/python3.13", "/etc/rpc", "/etc/services", "/etc/shells",
		"/etc/ssl/cert.pem", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/terminfo", "/etc/timezone", "/etc/vim", "/etc/wgetrc",
	}
	// hostsEtc says that localhost is the loopback, which a command has without the network, too. This and what
	// the network needs may be links that lead out of the tree.
	hostsEtc   = []string{"/etc/hosts"}
	networkEtc = []string{"/etc/resolv.conf", "/etc/gai.conf"}
	// javaEtc has the settings without which no program of Java starts, and is not the same everywhere.
	javaEtc = "/etc/java*-openjdk/*"

	readDevices  = []string{"/dev/random", "/dev/urandom"}
	writeDevices = []string{"/dev/null", "/dev/zero", "/dev/full"}

	// links are the links in /dev that programs use.
	links = [][2]string{{"/proc/self/fd", "/dev/fd"}, {"/proc/self/fd/0", "/dev/stdin"}, {"/proc/self/fd/1", "/dev/stdout"}, {"/proc/self/fd/2", "/dev/stderr"}}

	// procFiles are the files of /proc that reveal nothing about a process.
	procFiles = []string{"/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat", "/proc/uptime", "/proc/version"}
)

// tmpBytes bounds each of the call's own folders in memory.
const tmpBytes = 256 << 20

// Shows reports whether commands see a file or a folder that exists, whatever symbolic links lead to
// it. Of folders for temporary files they have their own.
func (o *Options) Shows(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == os.TempDir() {
		return err == nil
	}
	seen := slices.Concat([]string{o.Workspace, "/dev", "/proc"}, o.KnownAs, systemDirs, systemEtc, hostsEtc, java(), o.Readable)
	for _, p := range []string{path, real} {
		in := func(dir string) bool { return p == dir || within(p, dir) }
		if !slices.ContainsFunc(seen, in) || slices.ContainsFunc(o.Hidden, in) {
			return false
		}
	}
	return true
}

// java returns the settings of Java, but for those of its management, which may hold passwords.
func java() []string {
	all, _ := filepath.Glob(javaEtc) // the pattern is a correct one
	return slices.DeleteFunc(all, func(path string) bool { return filepath.Base(path) == "management" })
}

// etc returns the files that may be links that lead out of the tree.
func (p *plan) etc() []string {
	if p.Network {
		return slices.Concat(hostsEtc, networkEtc)
	}
	return hostsEtc
}

// visible returns the files and folders outside the workspace that the command may read.
func (p *plan) visible() []string {
	linked := p.etc()
	return slices.DeleteFunc(slices.Concat(systemDirs, systemEtc, java(), p.Readable, linked), func(path string) bool {
		info, err := os.Lstat(path)
		return err != nil || info.Mode()&os.ModeSymlink != 0 && slices.Contains(linked, path)
	})
}
