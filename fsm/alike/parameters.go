package alike

import "strings"

// Parameters reports whether two names of parameters mean the same.
func Parameters(a, b string) bool {
	if strings.EqualFold(a, b) { // encoding/json would take any capitals, and no other decoder
		return a == b
	}
	return same(a, b, parameters())
}

func parameters() [][]string {
	return [][]string{
		{"path", "filepath", "file", "filename", "absolutepath", "relativepath", "targetfile", "fullpath"},
		{"path", "dir", "directory", "dirpath", "directorypath", "folder", "folderpath", "targetdirectory", "searchpath", "searchdirectory"},
		{"pattern", "regex", "regexp", "query", "search", "searchpattern", "searchterm", "searchquery", "searchstring", "searchtext", "keyword", "term"},
		{"query", "q", "question", "keywords", "text"},
		{"pattern", "glob", "globpattern", "filepattern"},
		{"glob", "globpattern", "filepattern", "include", "includepattern"},
		{"ignorecase", "caseinsensitive", "i"},
		{"context", "contextlines", "c"},
		{"limit", "maxresults", "maxcount", "numresults", "maxlines", "numlines", "linecount", "count"},
		{"offset", "startline", "linestart", "firstline", "from"},
		{"name", "skill", "skillname"},
		{"depth", "maxdepth", "level", "levels"},
		{"url", "uri", "link", "address", "href"},
	}
}
