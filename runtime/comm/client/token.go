package client

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"shelly/runtime/comm"
	"shelly/runtime/durable"
)

// TokenFile is the name, in the data folder, of the file that holds the token.
const TokenFile = "token"

// tokenRandomBytes is the number of random bytes in a token.
const tokenRandomBytes = 32

// EnsureToken returns the token of a data folder, and makes one if there is
// none. The caller must hold the folder's lock.
func EnsureToken(dir string) (string, error) {
	token, err := ReadToken(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	var b [tokenRandomBytes]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	token = hex.EncodeToString(b[:])
	return token, durable.Text(filepath.Join(dir, TokenFile), []byte(token+"\n"))
}

// ReadToken returns the token of a data folder; if there is none, the error
// wraps fs.ErrNotExist. A file that others may read is refused, because its token is
// no longer secret.
func ReadToken(dir string) (string, error) {
	path := filepath.Join(dir, TokenFile)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the token is missing, %w; put it back, or start shelly again to get a new one", err)
	}
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file; remove it and start shelly again to get a new token", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others may use %s (mode %04o); remove it and start shelly again to get a new token", path, info.Mode().Perm())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < comm.TokenBytesMin || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s does not hold a token; remove it and start shelly again to get a new one", path)
	}
	return token, nil
}
