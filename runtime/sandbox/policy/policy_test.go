package policy

import (
	"strings"
	"testing"
)

// TOL-47: what is refused early, and what must not be.
func TestTOL47GuardsRefuseWhatIsPlainAndNothingElse(t *testing.T) {
	for command, want := range map[string]Verdict{
		"shutdown -h now":                             Denied,
		":(){ :|:& };:":                               Denied,
		"b() { b | b & }; b":                          Denied,
		"sudo rm -rf /var/lib":                        Denied,
		"rm -rf /":                                    Denied,
		"rm -r -f /*":                                 Denied,
		"rm -fr ~":                                    Denied,
		`rm -rf "$HOME"/`:                             Denied,
		"rm -rf -- /etc":                              Denied,
		`r\m -rf /usr`:                                Denied,
		"echo hi; (cd / && rm -rf /home)":             Denied,
		"env A=1 nice -n 5 rm -rf /":                  Denied,
		"sh -c 'rm -rf /'":                            Denied,
		"timeout 5 bash -ec 'reboot'":                 Denied,
		"echo $(mkfs.ext4 /dev/sda1)":                 Denied,
		"dd if=/dev/zero of=/dev/sda bs=1M":           Denied,
		"cat x > /dev/nvme0n1":                        Denied,
		"chmod -R 777 /":                              Denied,
		"kill -9 -1":                                  Denied,
		"find . | xargs sudo rm":                      Denied,
		"init 0":                                      Denied,
		"command sudo id":                             Denied,
		"command -p -- sudo id":                       Denied,
		"command -- sudo -v":                          Denied,
		"command -v sudo >/dev/null && echo there":    Runs,
		"command -pV reboot":                          Runs,
		"mkfs -t ext4 //dev/nbd0":                     Denied,
		"wipefs -a /dev/sdb":                          Denied,
		"mkfs.ext4 -q disk.img":                       Runs,
		"mkfs.ext4 -q out/dev.img":                    Runs,
		"mkfs $DISK":                                  Denied,
		"cd /dev; mkfs sda1":                          Denied,
		"wipefs -a ../../dev/sda":                     Denied,
		"mkswap --help":                               Runs,
		"rm -rf ./build":                              Runs,
		"rm -r build":                                 Runs,
		"rm -rf node_modules dist/*":                  Runs,
		"rm -rf /home/ann/work/build":                 Runs,
		"rm -rf /tmp/x":                               Runs,
		"rm -f /etc":                                  Runs,
		"echo $(date +%Y)":                            Runs,
		"git log --pretty=format:%h -1":               Runs,
		"docker ps --format '{{.ID}}'":                Runs,
		`echo "rm -rf /"`:                             Runs,
		"echo ':(){ :|:& };:'":                        Runs,
		"grep -rn 'rm -rf' docs":                      Runs,
		"grep -c mkfs docs/readme.md":                 Runs,
		`cat "rm -rf notes.md"`:                       Runs,
		"cat docs/reboot-plan.md":                     Runs,
		"git checkout -b shutdown":                    Runs,
		"f() { f2; }; f":                              Runs,
		"walk() { for d in *; do walk; done; }; walk": Runs,
		"echo 'unterminated":                          Runs,
		"head -c 8 /dev/urandom > /dev/null":          Runs,
		"chmod -R u+w src":                            Runs,
		"kill -1 $$":                                  Runs,
		"kill %1":                                     Runs,
		"bash --norc -c 'rm -rf /'":                   Denied,
		"sh -ce 'rm -rf /'":                           Denied,
		"bash -c -e 'rm -rf /'":                       Denied,
		"zsh -o shwordsplit -c 'rm -rf /'":            Denied,
		"bash --norc build.sh":                        Runs,
		"eval 'cd / && rm -rf *' /":                   Denied,
		`eval "$(ssh-agent -s)"`:                      Runs,
		"grep sda <<< /dev/sda":                       Runs,
		"cat <> /dev/sda":                             Denied,
		"env -S 'rm -rf /'":                           Denied,
		"env -i -u HOME -vS'A=1 rm -rf' -- /etc":      Denied,
		`env A=1 --split-string="sh -c 'rm -rf /'"`:   Denied,
		"env --split 'nice reboot'":                   Denied,
		"env -S 'make' -S":                            Runs,
		"env -S":                                      Runs,
		"env SHELL=-S make 'rm -rf /'":                Runs,
		"env make -S 'rm -rf /'":                      Runs,
		"find . | xargs --max-args 1 sudo rm":         Denied,
		"find . | xargs --max-procs=2 -0n 1 sudo rm":  Denied,
		"find . | xargs -r -0 -n1 sudo rm":            Denied,
		"find . | xargs -n 1 echo sudo":               Runs,
		"nice --adjustment 5 reboot":                  Denied,
		`find . -exec sudo rm {} \;`:                  Denied,
		`find . -name x -exec ls {} + -execdir nice sudo rm {} ';' -print`: Denied,
		"find . -name sudo -exec ls {} +":                                  Runs,
		`find . -exec echo sudo + \;`:                                      Runs,
		"find . -exec sudo":                                                Runs,
		"timeout --signal KILL -k 5 9 reboot":                              Denied,
		"env --chdir /tmp -u reboot make":                                  Runs,
	} {
		if got, why := (Policy{}).Of(command); got != want || (why == "") != (got == Runs) {
			t.Errorf("%s: %v %q; want %v", command, got, why, want)
		}
	}
}

func TestTOL48TheOperatorsListsDecide(t *testing.T) {
	p := Policy{Only: []string{"git *", "ls", "make *"}, Deny: []string{"git push *"}, Ask: []string{"git commit *"}}
	for command, want := range map[string]Verdict{
		"ls":                     Runs,
		"ls -l":                  Denied,
		"git status | ls":        Runs,
		"git":                    Runs,
		"/usr/bin/git log":       Runs,
		"git push":               Denied,
		"git push origin main":   Denied,
		"git commit -m x":        Asks,
		"git commit -m x; cat y": Denied,
		"git $x":                 Denied,
		`make x -exec cat {} \;`: Runs,
		"$x":                     Denied,
		"make $(cat y)":          Denied,
		"echo 'unterminated":     Denied,
		"git [[; ls":             Runs,
		"[[ x; git push":         Denied,
		// To bash, and to no other shell, these push before a line that it cannot read.
		"git $'\\'' ; git push #'\ngit $[ a":     Denied,
		"git $\\\n'\\'' ; git push #'\ngit $[ a": Denied,
	} {
		if got, why := p.Of(command); got != want {
			t.Errorf("%s: %v %q; want %v", command, got, why, want)
		}
	}
	if got, _ := p.OfWords([]string{"git", "push"}); got != Denied {
		t.Errorf("words: %v", got)
	}
	p.Only = nil
	for command, want := range map[string]Verdict{ // a shell runs the lines before one that it cannot read
		"git push\necho 'a":                  Denied,
		"git commit -m x\necho $(":           Asks,
		"git $'\\'' ; git push #'\ngit $[ a": Denied,
		"echo 'a\ngit push":                  Runs,
		"git push <<E\nx":                    Denied,
		"ls; git commit <<-'E'\nx\\":         Asks,
		"cat <<A <<B\nx\n$(git push)\n":      Denied,
		"cat <<E\ngit push\n":                Runs,
		"(git push\necho a":                  Runs,
	} {
		if got, why := p.Of(command); got != want {
			t.Errorf("%s: %v %q; want %v", command, got, why, want)
		}
	}
	for _, command := range []string{"[[ x; git push", "let; git push", "function; git push", "bash --norc -c 'git push'", "sh -ce 'git push'", "bash -c -e 'git push'", "timeout 9 sh -uce 'git push'", "eval 'git push'", "eval git push",
		"env -S 'git push'", "setsid -c git push", "exec -c git push", "exec -a x git push", "ls | xargs -o git push", "ls | xargs -i git push {}",
		"/usr/bin/time -f %e git push", "env - git push",
		`find . -exec git push {} \;`} {
		if got, why := p.Of(command); got != Denied {
			t.Errorf("%s: %v %q; want %v", command, got, why, Denied)
		}
	}
}

// Each command within a command is read anew, so that a long nest of them is not followed to its end.
func TestTOL47ANestOfCommandsIsFollowedSoFar(t *testing.T) {
	for _, outer := range []string{"eval ", "env "} {
		for depth, want := range map[int]Verdict{1: Denied, depthMax: Denied, depthMax + 1: Runs} {
			if got, _ := (Policy{}).Of(strings.Repeat(outer, depth) + "reboot"); got != want {
				t.Errorf("%d times %s: got %v, want %v", depth, outer, got, want)
			}
		}
	}
}
