package highlight

import (
	"regexp"
	"slices"
	"strings"
)

// Classes of the tokens of shells, which are those of the lexers.
const (
	classCommand  = "nf"
	classFlag     = "no"
	classKeyword  = "k"
	classVariable = "nv"
	classNumber   = "m"
	classOperator = "o"
	classComment  = "c1"
	classQuoted   = "s1"
	classString   = "s2"
	classHere     = "sh"
	classPrompt   = "gp" // not a part of what somebody types
	classOutput   = "go" // of a command
)

// shells are the names of languages that are split here: the lexer for them finds neither
// commands nor flags.
var shells = strings.Fields("sh bash zsh ksh shell shellscript terminal console bash-session shell-session shellsession sh-session")

// sessions are the shells in which a line may begin with any prompt. In the others # begins a
// comment.
var sessions = strings.Fields("terminal console bash-session shell-session shellsession sh-session")

// Prompts: perhaps the name of an environment or of a machine, and a sign.
var (
	prompt     = regexp.MustCompile(`^(?:\([\w.-]{1,40}\) ?)?(?:\[?[\w.-]{1,40}@[\w.-]{1,60}[: ]?[^\s$#%>]{0,80} ?)?[$❯➜][ \t]+`)
	anyPrompt  = regexp.MustCompile(`^(?:\([\w.-]{1,40}\) ?)?(?:\[?[\w.-]{1,40}@[\w.-]{1,60}[: ]?[^\s$#%>]{0,80} ?)?[$#%>❯➜][ \t]+`)
	morePrompt = regexp.MustCompile(`^>[ \t]+`)
)

// shellSpans splits code of a shell: a script, or a session with prompts and output. The spans
// cover the whole code.
func shellSpans(language, code string) []Span {
	s := &shell{code: code, end: len(code), command: true}
	sign := sessionPrompt(code, slices.Contains(sessions, language))
	if sign == nil {
		s.list("", 0)
		return s.spans
	}
	s.session = true
	for s.at < len(code) {
		n := len(sign.FindString(s.rest()))
		if n == 0 {
			s.output()
			continue
		}
		s.add(n, classPrompt)
		// A command that goes on in further lines ends before the next prompt.
		for s.end = s.line(); s.end < len(code) && !sign.MatchString(code[s.end:]); {
			s.end += len(firstLine(code[s.end:]))
		}
		s.command, s.names, s.in, s.here, s.open = true, false, false, nil, ""
		s.list("\n", 0)
		s.end = len(code)
	}
	return s.spans
}

// sessionPrompt returns the form of the prompts of a session, or nil if the code is a script. A
// script is a session if its first line has a prompt.
func sessionPrompt(code string, session bool) *regexp.Regexp {
	any := false
	for line := range strings.Lines(code) {
		if prompt.MatchString(line) {
			return prompt
		}
		if !session && !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			return nil
		}
		any = any || session && anyPrompt.MatchString(line)
	}
	if any {
		return anyPrompt
	}
	return nil
}

// shell splits a script into spans.
type shell struct {
	code    string
	at, end int
	spans   []Span
	session bool           // a command ends with its line
	command bool           // the next word is a command
	names   bool           // the next word is the one of for or case
	in      bool           // the word "in" may follow
	here    []hereDocument // that begin in the next line
	open    string         // quotes that nothing closes
}

// hereDocument is a text below a command, with the line that ends it.
type hereDocument struct {
	end  string
	tabs bool // may precede the line
}

const (
	maxSubstitutions = 20  // in each other
	maxExpansion     = 400 // bytes of ${name:-value}
)

// rest returns what is not split yet.
func (s *shell) rest() string { return s.code[s.at:s.end] }

// line returns where the next line begins.
func (s *shell) line() int { return s.at + len(firstLine(s.rest())) }

// firstLine returns the first line of a text, with its line break.
func firstLine(text string) string {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	return text
}

// add adds a token. No token with a class contains a line break.
func (s *shell) add(n int, class string) {
	for n > 0 {
		text := s.code[s.at : s.at+n]
		part, of := len(text), class
		if i := strings.IndexByte(text, '\n'); i == 0 {
			part, of = 1, ""
		} else if i > 0 {
			part = i
		}
		if last := len(s.spans) - 1; last >= 0 && s.spans[last].Class == of {
			s.spans[last].Length += part
		} else {
			s.spans = append(s.spans, Span{part, of})
		}
		s.at += part
		n -= part
	}
}

// output adds a line that is no command.
func (s *shell) output() {
	line := firstLine(s.rest())
	s.add(len(line), when(strings.HasPrefix(line, "#"), classComment, classOutput))
}

// list splits commands, up to one of the stop bytes or the end.
func (s *shell) list(stop string, depth int) {
	for s.at < s.end {
		c := s.code[s.at]
		switch {
		case c == '\n':
			s.add(1, "")
			s.hereDocuments()
			s.command = true
			if stop == "\n" {
				return
			}
		case strings.IndexByte(stop, c) >= 0:
			return
		case c == ' ' || c == '\t' || c == '\r':
			s.add(1, "")
		case strings.HasPrefix(s.rest(), "\\\n"):
			s.add(2, "")
			if s.session {
				s.add(len(morePrompt.FindString(s.rest())), classPrompt)
			}
		case c == '#':
			s.add(len(strings.TrimSuffix(firstLine(s.rest()), "\n")), classComment)
		case c == '<' || c == '>':
			s.redirection()
		case strings.IndexByte("|&;()", c) >= 0:
			if strings.HasPrefix(s.rest(), "&>") {
				s.add(2, classOperator)
				continue
			}
			s.command = !strings.HasPrefix(s.rest(), ";;") // the pattern of a case follows
			s.add(when(s.command, 1, 2), classOperator)
		default:
			s.word(stop, depth)
		}
	}
}

var (
	placeholder = regexp.MustCompile(`^<[A-Za-z][\w.:/-]{0,60}(?: [\w.:/-]{1,40}){0,4}>`)
	redirect    = regexp.MustCompile(`^(?:<<<|<<-?|<>|>>|>\||[<>]&?(?:[0-9]|-)?)`)
	delimiter   = regexp.MustCompile(`^[ \t]*(?:'([\w.-]{1,60})'|"([\w.-]{1,60})"|\\?([\w.-]{1,60}))`)
)

// redirection splits the sign of a redirection, or a placeholder such as <name>.
func (s *shell) redirection() {
	if n := len(placeholder.FindString(s.rest())); n > 0 {
		s.add(n, classVariable)
		s.command = false
		return
	}
	sign := redirect.FindString(s.rest())
	s.add(len(sign), classOperator)
	if sign == "<<" || sign == "<<-" {
		if m := delimiter.FindStringSubmatch(s.rest()); m != nil {
			s.add(len(m[0]), classHere)
			s.here = append(s.here, hereDocument{m[1] + m[2] + m[3], sign == "<<-"})
			return
		}
	}
	if strings.HasPrefix(s.rest(), "(") { // the output of a command, as a file
		return
	}
	for s.at < s.end && s.code[s.at] == ' ' {
		s.add(1, "")
	}
	if command := s.command; s.at < s.end && !strings.ContainsRune("\n|&;()<>#", rune(s.code[s.at])) {
		s.command = false
		s.word(" ", maxSubstitutions)
		s.command = command
	}
}

// hereDocuments splits the texts below a command.
func (s *shell) hereDocuments() {
	for _, h := range s.here {
		for s.at < s.end {
			line := firstLine(s.rest())
			s.add(len(line), classHere)
			text := strings.TrimRight(line, "\r\n")
			if h.tabs {
				text = strings.TrimLeft(text, "\t")
			}
			if text == h.end {
				break
			}
		}
	}
	s.here = nil
}

// Words with a meaning of their own, where a command may be.
var (
	keywords = strings.Fields("if then else elif fi while until do done for case esac select function time ! { } [[")
	naming   = strings.Fields("for case select function")                            // a name follows
	closings = strings.Fields("fi done esac } ]]")                                   // no command follows
	leading  = strings.Fields("sudo doas env exec command builtin nohup time xargs") // a command follows
)

var (
	assignment = regexp.MustCompile(`^[A-Za-z_]\w{0,100}(?:\[[^\]\s]{0,40}\])?\+?=`)
	flag       = regexp.MustCompile(`^--?[A-Za-z0-9][\w.-]{0,100}`)
	bare       = regexp.MustCompile("^[^\\s|&;()<>'\"`$\\\\]+")
	numeral    = regexp.MustCompile(`^[0-9]+(?:[.:][0-9]+)*$`)
)

// word splits a word. It may consist of quoted parts, expansions and bare text.
func (s *shell) word(stop string, depth int) {
	class := ""
	text := bare.FindString(s.rest())
	whole := s.ends(s.at + len(text)) // the word is only bare text
	switch {
	case s.names:
		s.names, s.in = false, true
		class = classVariable
	case whole && s.in && text == "in":
		s.in, class = false, classKeyword
	case whole && (s.command && slices.Contains(keywords, text) || text == "esac" || text == "]]"):
		class = classKeyword
		s.names = slices.Contains(naming, text)
		s.command = !s.names && !slices.Contains(closings, text)
	case s.command && assignment.MatchString(s.rest()):
		n := len(assignment.FindString(s.rest()))
		s.add(n-1, classVariable)
		s.add(1, classOperator)
	case strings.HasPrefix(text, "-") && flag.MatchString(text):
		s.add(len(flag.FindString(text)), classFlag)
	case whole && !s.command && numeral.MatchString(text):
		class = classNumber
	case s.command:
		class = classCommand
		s.command = slices.Contains(leading, text)
	}
	for s.at < s.end && !s.ends(s.at) && strings.IndexByte(stop, s.code[s.at]) < 0 {
		s.part(class, depth)
	}
}

// ends reports whether a word ends at an offset.
func (s *shell) ends(at int) bool {
	return at >= s.end || strings.IndexByte(" \t\r\n|&;()<>", s.code[at]) >= 0
}

// part splits a part of a word.
func (s *shell) part(class string, depth int) {
	text := s.rest()
	switch c := text[0]; {
	case c == '\\':
		if strings.HasPrefix(text, "\\\n") { // the word goes on in the next line
			s.add(2, "")
			return
		}
		s.add(min(2, len(text)), class)
	case c == '\'' || strings.HasPrefix(text, "$'"):
		s.single()
	case c == '"':
		s.double(depth)
	case c == '`':
		s.substitution(1, "`", depth)
	case c == '$':
		s.expansion(class, depth)
	default:
		s.add(max(1, len(bare.FindString(text))), class)
	}
}

// single splits a text in single quotes. A quote that nothing closes is a sign like others.
func (s *shell) single() {
	n := strings.IndexByte(s.rest(), '\'') + 1
	end := -1
	if !strings.Contains(s.open, "'") {
		end = strings.IndexByte(s.rest()[n:], '\'')
	}
	if end < 0 {
		s.open += "'"
		s.add(n, "")
		return
	}
	s.add(n+end+1, classQuoted)
}

// double splits a text in double quotes.
func (s *shell) double(depth int) {
	if strings.Contains(s.open, `"`) || strings.IndexByte(s.rest()[1:], '"') < 0 {
		s.open += `"`
		s.add(1, "")
		return
	}
	s.add(1, classString)
	for s.at < s.end {
		text := s.rest()
		n := strings.IndexAny(text, "\"$`\\")
		if n < 0 {
			s.add(len(text), classString)
			return
		}
		s.add(n, classString)
		switch text[n] {
		case '"':
			s.add(1, classString)
			return
		case '\\':
			s.add(min(2, len(text)-n), classString)
		case '`':
			s.substitution(1, "`", depth)
		default:
			s.expansion(classString, depth)
		}
	}
}

var variable = regexp.MustCompile(`^\$(?:[A-Za-z_]\w{0,100}|[0-9#$?!_*@-])`)

// expansion splits what begins with a dollar sign. What is no expansion has the class of the text
// around it.
func (s *shell) expansion(class string, depth int) {
	text := s.rest()
	switch {
	case strings.HasPrefix(text, "$(("):
		if i := strings.Index(text[:min(len(text), maxExpansion)], "))"); i >= 0 {
			s.add(i+2, classVariable)
			return
		}
		s.add(3, class)
	case strings.HasPrefix(text, "$("):
		s.substitution(2, ")", depth)
	case strings.HasPrefix(text, "${"):
		if i := strings.IndexAny(text[:min(len(text), maxExpansion)], "}\n"); i >= 0 && text[i] == '}' {
			s.add(i+1, classVariable)
			return
		}
		s.add(2, class)
	default:
		s.add(max(1, len(variable.FindString(text))), when(variable.MatchString(text), classVariable, class))
	}
}

func when[T any](is bool, then, otherwise T) T {
	if is {
		return then
	}
	return otherwise
}

// substitution splits commands inside of a word, after a sign of n bytes.
func (s *shell) substitution(n int, end string, depth int) {
	if depth >= maxSubstitutions {
		s.add(n, "")
		return
	}
	s.add(n, classOperator)
	command, names := s.command, s.names
	s.command, s.names = true, false
	s.list(end, depth+1)
	if strings.HasPrefix(s.rest(), end) {
		s.add(1, classOperator)
	}
	s.command, s.names = command, names
}
