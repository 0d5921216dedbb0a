package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoModel is the error when Ollama's model store has no model of a name.
var ErrNoModel = errors.New("the model store has no model of that name")

// ollamaManifestMax is the size limit of an Ollama manifest, in bytes.
const ollamaManifestMax = 4 << 20

// The parts of a model's name that Ollama leaves out when it shows it.
const (
	usualHost  = "registry.ollama.ai"
	usualSpace = "library"
	usualTag   = "latest"
)

// manifestPath returns where Ollama's model store has the manifest of a model, below the folder
// manifests: HOST/NAMESPACE/MODEL/TAG.
func manifestPath(name string) string {
	rest, tag := name, usualTag
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		rest, tag = name[:i], name[i+1:]
	}
	parts := strings.Split(rest, "/")
	switch len(parts) {
	case 1:
		parts = append([]string{usualHost, usualSpace}, parts...)
	case 2:
		parts = append([]string{usualHost}, parts...)
	}
	return strings.Join(append(parts, tag), "/")
}

// modelName returns the model name of a manifest, as short as Ollama shows it.
func modelName(manifest string) string {
	parts := strings.Split(manifest, "/")
	if len(parts) != 4 {
		return manifest
	}
	name := parts[2] + ":" + parts[3]
	switch {
	case parts[0] != usualHost:
		return parts[0] + "/" + parts[1] + "/" + name
	case parts[1] != usualSpace:
		return parts[1] + "/" + name
	}
	return name
}

// Models lists the models in an Ollama model store, sorted.
func Models(store string) (names []string, err error) {
	root, err := filepath.EvalSymlinks(filepath.Join(store, "manifests"))
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err == nil && strings.Count(filepath.ToSlash(rel), "/") == 3 {
			names = append(names, modelName(filepath.ToSlash(rel)))
		}
		return err
	})
	slices.Sort(names)
	return names, err
}

// source is a file of a bundle with the source of its content.
type source struct {
	File
	path string // the file to read; "": text is the content
	text []byte
}

// model returns the files of a model: the blobs first, then the manifest that names them.
func model(store, name string) (list []source, err error) {
	place := manifestPath(name)
	file := filepath.Join(store, "manifests", filepath.FromSlash(place))
	text, err := readBounded(file, ollamaManifestMax)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s in %s", ErrNoModel, name, store)
	}
	if err != nil {
		return nil, err
	}
	var m struct {
		Config struct{ Digest string }
		Layers []struct{ Digest string }
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s is not a model's manifest: %w", file, err)
	}
	for _, layer := range append(m.Layers, m.Config) {
		sum, ok := strings.CutPrefix(layer.Digest, "sha256:")
		if !ok {
			continue // a model without a configuration
		}
		blob := source{File: File{Name: blobsFolder + "sha256-" + sum, SHA256: sum}, path: filepath.Join(store, "blobs", "sha256-"+sum)}
		if err := checkName(blob.File); err != nil {
			return nil, fmt.Errorf("%s names %.80q, which is not a blob", file, layer.Digest)
		}
		list = append(list, blob)
	}
	return append(list, source{File: File{Name: namesFolder + place}, text: text}), nil
}

// readBounded reads a file of at most max bytes.
func readBounded(name string, max int64) (text []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err = io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(text)) > max {
		err = fmt.Errorf("%s is larger than %d bytes", name, max)
	}
	return text, err
}
