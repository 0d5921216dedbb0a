// Package file holds the tools that work on the files of a workspace: read_file,
// write_file, edit_file, list_dir, grep and glob.
//
//	files, err := file.Open(file.Options{Workspace: "/home/ann/project", Changes: "/home/ann/data/changes"})
//	added, err := files.Added()
//	r, err := tool.New(tool.Options{Workspace: "/home/ann/project", Added: added})
//
// What is enforced:
//
//   - Files are reached through os.Root: neither .. nor an absolute path nor a symbolic
//     link leads out of the workspace. With Everywhere the tools reach what the daemon's
//     user may reach. Only regular files are opened, so that no pipe or device can block or
//     act. Private folders, such as the daemon's own data, are refused even inside the
//     workspace, and so are files that may hold secrets. Reading, listing and searching are
//     bounded, and so is the length of a path. A file with a second name (a hard link) is
//     refused; a file system mounted in the workspace belongs to it.
//   - A file is replaced whole and durably, never through .git, and package change has
//     first recorded what it held, for the probe after a crash and for Undo.
//
// What is not enforced: checking for another program's change and renaming are two steps, and
// a change that comes between them is lost.
package file
