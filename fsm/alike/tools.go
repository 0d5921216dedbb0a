package alike

// Tools reports whether two names of tools mean the same.
func Tools(a, b string) bool { return same(a, b, tools()) }

func tools() [][]string {
	return [][]string{
		{"readfile", "read", "fileread", "viewfile", "openfile", "getfilecontents", "cat"},
		{"listdir", "ls", "listdirectory", "listfiles", "listfolder"},
		{"grep", "grepsearch", "searchfilecontent", "searchfiles", "searchinfiles", "ripgrep", "rg"},
		{"glob", "globsearch", "findfiles", "filesearch", "findbyname"},
		{"webfetch", "fetch", "fetchurl", "readurl", "geturl"},
		{"websearch", "searchweb", "internetsearch"},
		{"loadskill", "skill", "useskill", "readskill", "activateskill"},
		{"memorysearch", "searchmemory", "memoryrecall", "recall"},
	}
}
