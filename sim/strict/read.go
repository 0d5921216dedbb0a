package strict

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// FileBytesMax is the size of one file (SCN-19).
const FileBytesMax = 4 << 20

// ReadFile reads a whole file of at most limit bytes. Its errors do not name the path,
// which its place names already. What is no regular file is not opened, since that may
// block.
func ReadFile(fsys fs.FS, path string, limit int) ([]byte, error) {
	info, err := fs.Stat(fsys, path)
	if err == nil {
		err = readable(info, limit)
	}
	if err != nil {
		return nil, WithoutPath(err)
	}
	file, err := fsys.Open(path)
	if err != nil {
		return nil, WithoutPath(err)
	}
	defer file.Close()
	source, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	switch {
	case err != nil:
		return nil, WithoutPath(err)
	case len(source) > limit:
		return nil, errTooLarge(limit)
	}
	return source, nil
}

func errTooLarge(limit int) error { return fmt.Errorf("is too large; the limit is %d KiB", limit>>10) }

// readable says why a file cannot be read whole, or returns nil.
func readable(info fs.FileInfo, limit int) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return errors.New("is a directory, not a file")
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("is a FIFO, not a regular file")
	case mode&fs.ModeDevice != 0:
		return errors.New("is a device, not a regular file")
	case mode&fs.ModeSocket != 0:
		return errors.New("is a socket, not a regular file")
	case mode&fs.ModeSymlink != 0:
		return errors.New("is a symbolic link, not a regular file")
	case !mode.IsRegular():
		return errors.New("is not a regular file")
	case info.Size() > int64(limit):
		return errTooLarge(limit)
	}
	return nil
}

// errMissing says that there is no file; it is [fs.ErrNotExist] for those who ask.
type errMissing struct{}

func (errMissing) Error() string        { return "no such file" }
func (errMissing) Is(target error) bool { return target == fs.ErrNotExist }

// WithoutPath is an error without the path.
func WithoutPath(err error) error {
	var p *fs.PathError
	switch {
	case !errors.As(err, &p):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return errMissing{}
	default:
		return p.Err
	}
}
