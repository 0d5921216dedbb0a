// Package bundle brings shelly to a machine without internet in one file: the program, its
// configuration without secrets, skills, and models of the local Ollama.
//
//	m, err := bundle.Make(ctx, w, bundle.Source{Binary: "/usr/bin/shelly", Store: "/home/ann/.ollama/models", …})
//	m, err = bundle.Verify(ctx, file)
//	steps, err := bundle.Look(ctx, m, places)       // what would be written, changing nothing
//	err = bundle.Install(ctx, file, m, steps, told) // writes what Look found
//
// # The file
//
// A bundle is an uncompressed tar file, because models hardly compress. Its entries are plain files:
// first the manifest, then the files in its order:
//
//	bundle.json           a [Manifest]: what made it, and each file with its size and SHA-256
//	README.txt            what to do with it, for a machine without shelly
//	SHA256SUMS            of the files that follow, for sha256sum -c
//	bin/shelly            the program
//	config/config.yaml    the configuration, its secrets replaced
//	skills/NAME/…         the folders of skills
//	models/blobs/…        the models, as Ollama's store lays them out
//	models/manifests/…
//
// Journal, memory and tokens are not in a bundle: a backup (package backup) has the first two, and a
// machine makes its own tokens.
//
// # Installing
//
// Each file is written beside its place, synced, and renamed: a model's blobs before the manifest
// that names them. A file that is already in place and identical is skipped, so a second run goes on
// where the first was interrupted. A file that differs is replaced only on request.
package bundle
