// Package file holds the tools that work on the files of a workspace.
//
//	files, err := file.Open(file.Options{Workspace: "/home/ann/project"})
//	added, err := files.Added()
//	r, err := tool.New(tool.Options{Workspace: "/home/ann/project", Added: added})
//
// What is enforced:
//
//   - read_file and list_dir reach files through os.Root: neither .. nor an
//     absolute path nor a symbolic link leads out of the workspace. With
//     Everywhere they read what the daemon's user may read. Only regular
//     files are read, so no pipe or device can block or act. Private folders,
//     such as the daemon's own data, are refused even inside the workspace. How
//     far a file is read, how many entries are listed and how long a path may be
//     is bounded. A file with another name (a hard link) is refused; a file
//     system mounted in the workspace belongs to it.
package file
