package file

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"shelly/runtime/tool"
)

// secretNames are the files in which programs keep passwords, keys and tokens.
var secretNames = []string{
	".env", ".netrc", "_netrc", ".pgpass", ".git-credentials", ".htpasswd", ".pypirc", ".vault-token",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
	".aws/credentials", ".docker/config.json", ".kube/config", ".config/gh/hosts.yml",
}

// templateEnds are the endings of files that show which secrets there are but hold none.
var templateEnds = []string{".example", ".sample", ".template", ".dist"}

// secretName reports whether a spot leads to a file that by its name may hold secrets, if
// these are kept from the model (TOL-21). Case is ignored.
func (t *Tools) secretName(s spot) bool {
	if t.options.Secrets {
		return false
	}
	return mayHoldSecrets(s.path) || mayHoldSecrets(s.named) || mayHoldSecrets(s.real)
}

func mayHoldSecrets(path string) bool {
	path = strings.ToLower(filepath.ToSlash(path))
	dir, base := filepath.Split(path)
	ends := func(name string) bool { return path == name || strings.HasSuffix(path, "/"+name) }
	switch {
	case slices.ContainsFunc(secretNames, ends):
		return true
	case strings.HasPrefix(base, ".env.") || strings.HasSuffix(base, ".env"):
		return !slices.ContainsFunc(templateEnds, func(end string) bool { return strings.HasSuffix(base, end) })
	case filepath.Base(dir) == ".ssh":
		return !strings.HasSuffix(base, ".pub") && !strings.HasPrefix(base, "known_hosts") && base != "config" && base != "authorized_keys"
	}
	return false
}

// secretText reports whether a sample of a file holds a private key, if these are kept from the
// model: a line that begins one, followed by a line of base64 or a header.
func (t *Tools) secretText(sample []byte) bool { return !t.options.Secrets && holdsKey(sample) }

func holdsKey(sample []byte) bool {
	lines := bytes.Split(sample, []byte("\n"))
	for i, line := range lines[:len(lines)-1] {
		line = bytes.TrimSpace(line)
		key := bytes.HasPrefix(line, []byte("-----BEGIN ")) && bytes.HasSuffix(line, []byte("-----")) &&
			bytes.Contains(line, []byte("PRIVATE KEY"))
		if key && keyLine(bytes.TrimSpace(lines[i+1])) {
			return true
		}
	}
	return false
}

// keyLine reports whether a line may be a part of a key: base64, a header, or the blank line
// before a key in PGP's armour.
func keyLine(line []byte) bool {
	if len(line) == 0 || bytes.Contains(line, []byte(": ")) {
		return true
	}
	base64 := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("+/=", r)
	}
	return len(line) >= 16 && bytes.IndexFunc(line, func(r rune) bool { return !base64(r) }) < 0
}

func holdsSecrets(path string) error {
	return tool.Refuse("%s may hold secrets (passwords or keys) and is refused; work without it, or ask the person for what you need; the operator can allow it (tools.secrets)", strconv.Quote(path))
}
