// Package bundle brings shelly to a machine without internet, as one file: the program, its
// configuration without secrets, skills, and models of the local Ollama.
//
//	m, err := bundle.Make(ctx, w, bundle.Source{Binary: "/usr/bin/shelly", Store: "/home/ann/.ollama/models", …})
//	m, err = bundle.Verify(ctx, file)
//	steps, err := bundle.Look(ctx, m, places)       // what would be written, and what is there
//	err = bundle.Install(ctx, file, m, steps, told) // what was looked at
//
// # The file
//
// A bundle is a tar file that is not compressed: models hardly shrink. Its entries are plain
// files, in the order of the manifest, which is the first:
//
//	bundle.json           a [Manifest]: what made it, and each file with its size and SHA-256
//	README.txt            what to do with it, for who has no shelly yet
//	SHA256SUMS            of the files that follow, for sha256sum -c
//	bin/shelly            the program
//	config/config.yaml    the configuration, its secrets replaced
//	skills/NAME/…         the folders of skills
//	models/blobs/…        the models, as Ollama's store lays them out
//	models/manifests/…
//
// The journal, the memory and tokens are not in it: a backup (package backup) has the former,
// and a machine makes its own of the latter.
//
// # Installing
//
// Each file is written beside its place, synced, and renamed: a model's blobs before the
// manifest that names them. What is there already and the same is left, so a second run goes
// on where the first was interrupted. What is there and differs is replaced only where that
// was asked for.
package bundle
