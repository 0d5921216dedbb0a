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
//     user may reach. Only regular files are opened, so no pipe or device can block or
//     act. Private folders, such as the daemon's own data, are refused even inside the
//     workspace, and so are files that may hold secrets. How far a file is read, how much
//     is listed and searched and how long a path may be is bounded. A file with another
//     name (a hard link) is refused; a file system mounted in the workspace belongs to it.
//   - A file is replaced whole and for good, never through .git, and package change has
//     recorded before what it held: for the probe after a crash, and for Undo.
//
// What is not enforced: the check for somebody else's change and the renaming are two acts.
// A change that comes between them is lost. Extended attributes and access lists of a file
// that is replaced are not kept.
package file
