package scenario

import (
	"fmt"
	"io/fs"
	"strings"

	"shelly/sim/strict"
)

// Load reads the cases of a scenario file, strictly (SCN-2): one, or those of its
// matrix in their order (SCN-18); of a property file it reads the property, in place
// of a case. What is wrong with the file itself or with a file
// that it includes is a [strict.Error] that carries all problems.
//
// Where fsys tells symbolic links, as [fs.ReadLinkFS] does, a fragment may not be
// one. Its Stat must not open what it looks at.
func Load(fsys fs.FS, path string) ([]*File, error) {
	source, err := strict.ReadFile(fsys, path, strict.FileBytesMax)
	if err != nil {
		return nil, strict.Failed(path, nil, []strict.Problem{{Text: err.Error()}})
	}
	if strings.HasSuffix(path, PropertySuffix) {
		f, err := loadProperty(fsys, path, source)
		if err != nil {
			return nil, err
		}
		return []*File{f}, nil
	}
	cases, err := load(fsys, path, source)
	if err != nil {
		return nil, err
	}
	if err := strict.Failed(path, cases[0].Sources(), readGoldens(fsys, cases)); err != nil {
		return nil, err
	}
	return cases, nil
}

// LoadOne is Load for a file of one case.
func LoadOne(fsys fs.FS, path string) (*File, error) {
	cases, err := Load(fsys, path)
	if err != nil {
		return nil, err
	}
	return only(path, cases)
}

// Parse is LoadOne for a file that is in memory and includes nothing; path is only
// for errors.
func Parse(path string, source []byte) (*File, error) {
	cases, err := load(nil, path, source)
	if err != nil {
		return nil, err
	}
	return only(path, cases)
}

func only(path string, cases []*File) (*File, error) {
	if len(cases) != 1 {
		return nil, strict.Failed(path, nil, []strict.Problem{{Text: fmt.Sprintf("has %d cases; name a file of one", len(cases))}})
	}
	if cases[0].property != nil {
		return nil, strict.Failed(path, nil, []strict.Problem{{Text: "is a property, which is no case; name a scenario"}})
	}
	return cases[0], nil
}

func load(fsys fs.FS, path string, source []byte) ([]*File, error) {
	cases, err := readCases(fsys, path, source, readFile, checkFile)
	if err != nil {
		return nil, err
	}
	for _, f := range cases {
		f.settle()
		f.Name += f.Label()
	}
	nameGoldens(cases)
	return cases, nil
}

// readFile reads a case along the types of the format.
func readFile(c *Case, d *strict.Decoder) *File {
	f := &File{Case: c}
	d.Value(c.root(), f, "")
	return f
}
