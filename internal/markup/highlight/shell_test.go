package highlight

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawn returns code with the class of each token, such as ⟨nf echo⟩.
func drawn(spans []Span, code string) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Class == "" {
			b.WriteString(code[:s.Length])
		} else {
			b.WriteString("⟨" + s.Class + " " + code[:s.Length] + "⟩")
		}
		code = code[s.Length:]
	}
	return b.String() + code
}

func TestShell(t *testing.T) {
	for _, c := range []struct{ language, code, want string }{
		{"bash", "npm install --save-dev x@1\n", "⟨nf npm⟩ install ⟨no --save-dev⟩ x@1\n"},
		{"sh", "curl -X POST --data='{\"a\": 1}' \"$HOST/v1\" | jq .", "⟨nf curl⟩ ⟨no -X⟩ POST ⟨no --data⟩=⟨s1 '{\"a\": 1}'⟩ ⟨s2 \"⟩⟨nv $HOST⟩⟨s2 /v1\"⟩ ⟨o |⟩ ⟨nf jq⟩ ."},
		{"shell", "A=1 sudo -E make all && ./run.sh 8080 > log.txt 2>&1", "⟨nv A⟩⟨o =⟩1 ⟨nf sudo⟩ ⟨no -E⟩ ⟨nf make⟩ all ⟨o &&⟩ ⟨nf ./run.sh⟩ ⟨m 8080⟩ ⟨o >⟩ log.txt ⟨m 2⟩⟨o >&1⟩"},
		{"bash", "# All:\nfor f in a b; do\n  echo ${f%.*} $(wc -l < \"$f\")\ndone", "⟨c1 # All:⟩\n⟨k for⟩ ⟨nv f⟩ ⟨k in⟩ a b⟨o ;⟩ ⟨k do⟩\n  ⟨nf echo⟩ ⟨nv ${f%.*}⟩ ⟨o $(⟩⟨nf wc⟩ ⟨no -l⟩ ⟨o <⟩ ⟨s2 \"⟩⟨nv $f⟩⟨s2 \"⟩⟨o )⟩\n⟨k done⟩"},
		{"bash", "if [ -f x ]; then y; fi", "⟨k if⟩ ⟨nf [⟩ ⟨no -f⟩ x ]⟨o ;⟩ ⟨k then⟩ ⟨nf y⟩⟨o ;⟩ ⟨k fi⟩"},
		{"bash", "case $x in\n a) b ;;\n c) d ;;\nesac", "⟨k case⟩ ⟨nv $x⟩ ⟨k in⟩\n ⟨nf a⟩⟨o )⟩ ⟨nf b⟩ ⟨o ;;⟩\n ⟨nf c⟩⟨o )⟩ ⟨nf d⟩ ⟨o ;;⟩\n⟨k esac⟩"},
		{"zsh", "cat <<'END' >x\n$a 'b\nEND\nls", "⟨nf cat⟩ ⟨o <<⟩⟨sh 'END'⟩ ⟨o >⟩x\n⟨sh $a 'b⟩\n⟨sh END⟩\n⟨nf ls⟩"},
		{"bash", "git clone <url of it> don't in", "⟨nf git⟩ clone ⟨nv <url of it>⟩ don't in"},
		{"bash", "a \\\n  -b c\nd", "⟨nf a⟩ \\\n  ⟨no -b⟩ c\n⟨nf d⟩"},
		// Sessions.
		{"bash", "$ echo 'a b'\na b\n\n$ ls -l \\\n> x\ntotal 0", "⟨gp $ ⟩⟨nf echo⟩ ⟨s1 'a b'⟩\n⟨go a b⟩\n\n⟨gp $ ⟩⟨nf ls⟩ ⟨no -l⟩ \\\n⟨gp > ⟩x\n⟨go total 0⟩"},
		{"bash", "# First:\n$ a\n", "⟨c1 # First:⟩\n⟨gp $ ⟩⟨nf a⟩\n"},
		{"console", "# apt update\nHit:1", "⟨gp # ⟩⟨nf apt⟩ update\n⟨go Hit:1⟩"},
		{"shell-session", "me@host:~/x$ pwd\n/x\n(env) me@host:~$ ls", "⟨gp me@host:~/x$ ⟩⟨nf pwd⟩\n⟨go /x⟩\n⟨gp (env) me@host:~$ ⟩⟨nf ls⟩"},
		{"console", "make run", "⟨nf make⟩ run"},
		{"bash", "echo $ 1", "⟨nf echo⟩ $ ⟨m 1⟩"},
	} {
		if got := drawn(New(1<<20).Spans(c.language, c.code), c.code); got != c.want {
			t.Errorf("%s:\n%s\ngot  %s\nwant %s", c.language, c.code, got, c.want)
		}
	}
}

// Whatever the code is, the spans cover it, and no token contains a line break.
func TestShellKeepsTheCode(t *testing.T) {
	language := rapid.SampledFrom(shells)
	pieces := rapid.SliceOf(rapid.SampledFrom([]string{
		"$", "(", ")", "${", "}", "`", "'", `"`, "\\", "\n", " ", "#", "<<", "EOF", ">", "<", "&", "|", ";", "a", "-b", "=", "case", "in", "for", "$ ", "> ", "\t", "\r", "é", "1", "$((", "))", "user@host:~$ ",
	}))
	rapid.Check(t, func(rt *rapid.T) {
		code := strings.Join(pieces.Draw(rt, "code"), "")
		rest := code
		for _, s := range shellSpans(language.Draw(rt, "language"), code) {
			if s.Length <= 0 || s.Length > len(rest) || s.Class != "" && strings.Contains(rest[:s.Length], "\n") {
				rt.Fatalf("%+v in %q", s, rest)
			}
			rest = rest[s.Length:]
		}
		if rest != "" {
			rt.Fatalf("%q is missing", rest)
		}
	})
}

// The work grows with the length of the code and not with its square.
func TestShellIsLinear(t *testing.T) {
	for _, piece := range []string{"'", `"`, "`", "$(", "${", "$((", "<<E ", "\\", "$ a\n", `"$(`, "<a ", "x=", "\n> ", "case "} {
		if n := len(shellSpans("console", strings.Repeat(piece, maxBlock/len(piece)))); n > maxBlock {
			t.Errorf("%q: %d spans", piece, n)
		}
	}
}
