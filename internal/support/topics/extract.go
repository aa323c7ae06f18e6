package topics

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Extract returns the issues that the user of a conversation asks about or reports, at
// most MaxIssues. If the messages have none, the subject becomes the issue.
func Extract(subject string, messages []Message) []Issue {
	subject = clip(strings.Join(strings.Fields(Clean(subject)), " "), MaxTitle)
	subject = replyPrefix.ReplaceAllString(subject, "")
	var all strings.Builder
	all.WriteString(subject)
	var texts []string
	for _, m := range messages[:min(len(messages), maxMessages)] {
		if m.Role == User {
			text := Clean(m.Body)
			texts = append(texts, text)
			all.WriteString("\n" + text)
		}
	}
	language := Language(all.String())
	var out []Issue
	for i, text := range texts {
		for _, part := range parts(text) {
			issue, ok := issueOf(part, i == 0 && len(out) == 0, subject)
			if issue.Language = Language(issue.Summary); issue.Language == "" {
				issue.Language = language
			}
			if ok && len(out) < MaxIssues && !repeats(out, issue) {
				out = append(out, issue)
			}
		}
	}
	if len(out) == 0 && informative(subject) >= 2 {
		out = append(out, Issue{Title: subject, Summary: clip(firstLine(texts), MaxSummary), Language: language})
	}
	return out
}

var replyPrefix = regexp.MustCompile(`(?i)^((re|fw|fwd|aw|wg|tr|rv|res|enc)(\[\d+\])?: *)+`)

func firstLine(texts []string) string {
	for _, t := range texts {
		if t != "" {
			line, _, _ := strings.Cut(t, "\n")
			return line
		}
	}
	return ""
}

// another matches the beginning of a further question within one message.
var another = regexp.MustCompile(`(?i)^(another (question|thing|issue|problem)|second(ly)?[,:]|also[,:] |besides[,:] |on a different (note|topic)|unrelated|außerdem|ausserdem|zweitens|noch eine frage|eine andere frage|par ailleurs|autre question|deuxièmement|otra (pregunta|cosa)|además|un'altra (domanda|cosa)|inoltre|outra (pergunta|coisa)|além disso|\d{1,2}[.)] |[-*•] )`)

// parts divides the sentences of a message into parts at phrases that begin another
// question.
func parts(text string) [][]string {
	var out [][]string
	var now []string
	for _, s := range sentences(text) {
		// A sentence that looks like a prompt injection is not a question about the
		// product. It would have no effect, but it would be a bad title.
		if command.MatchString(s) {
			continue
		}
		if another.MatchString(s) && len(now) > 0 && slices.ContainsFunc(now, func(s string) bool { return weight(s) > 1 }) {
			out = append(out, now)
			now = nil
		}
		now = append(now, s)
	}
	if len(now) > 0 {
		out = append(out, now)
	}
	return out
}

const maxSentences = 100 // of a message

// sentences divides a text at line breaks and where sentences end.
func sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		start := 0
		for i, r := range line {
			if !strings.ContainsRune(".?!。？！", r) {
				continue
			}
			end := i + utf8.RuneLen(r)
			if next, _ := utf8.DecodeRuneInString(line[end:]); r < utf8.RuneSelf && end < len(line) && !unicode.IsSpace(next) {
				continue // a dot inside of a name or a number
			}
			if s := strings.TrimSpace(line[start:end]); s != "" && len(out) < maxSentences {
				out = append(out, s)
			}
			start = end
		}
		if s := strings.TrimSpace(line[start:]); s != "" && len(out) < maxSentences {
			out = append(out, s)
		}
	}
	return out
}

var (
	asks     = regexp.MustCompile(`(?i)\b(how|why|what|where|when|which|who|is there|can (i|we|you)|could (i|we|you)|do (i|we)|does|is it possible|any way|wie|warum|wieso|weshalb|wo|wann|welche[rsn]?|kann (ich|man)|können wir|gibt es|ist es möglich|comment|pourquoi|où|quand|quel(le)?s?|puis-je|peut-on|est-ce|est-il possible|cómo|como|por qué|dónde|cuándo|cuál|puedo|podemos|se puede|es posible|come|perché|dove|quando|quale|posso|possiamo|è possibile|por que|onde|qual|podemos|é possível|how to|need to|would like|trying to|möchte|voudrais|quisiera|vorrei|gostaria)\b`)
	problems = regexp.MustCompile(`(?i)(\b(can ?not|can['’]t|unable|doesn['’]t|does not|don['’]t|didn['’]t|won['’]t|isn['’]t|not (working|able|possible|found|showing|loading)|fail(s|ed|ing|ure)?|error|errors|broken|crash(es|ed)?|bug|issue|problem|wrong|missing|lost|stuck|denied|refused|rejected|invalid|expired|timeout|timed out|slow|never|no longer|stopp?(s|ed)|keeps?|funktioniert|geht nicht|fehler|kaputt|problem|falsch|fehlt|verloren|abgelehnt|langsam|unmöglich|erreur|impossible|échoue|problème|marche pas|fonctionne pas|manque|refusé|lent|error|falla|fallo|no (funciona|puedo|aparece|llega|carga)|problema|errore|non (funziona|riesco|arriva|carica)|erro|não (funciona|consigo|aparece|chega))\b|nicht|n['’]arrive)`)
	command  = regexp.MustCompile(`(?i)\b(ignore|disregard|forget) (all |any |the |your )*(previous|prior|above|earlier|system)\b|\bsystem prompt\b|\byou are now\b`)
)

// weight returns how strongly a sentence states an issue, 0 for not at all. It is at most
// the number of informative words.
func weight(s string) int {
	n := 0
	if strings.ContainsAny(s, "?？") {
		n += 2
	}
	if asks.MatchString(s) {
		n++
	}
	if problems.MatchString(s) {
		n += 2
	}
	if hasWideScript(s) {
		n++ // the patterns above do not cover these languages
	}
	return min(n, informative(s))
}

func hasWideScript(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) && r >= 0x370 {
			return true
		}
	}
	return false
}

// issueOf returns the issue that the sentences of a part state, and whether there is one.
// first reports that the part begins the conversation. Such a part makes an issue even
// if no sentence looks like a question.
func issueOf(part []string, first bool, subject string) (Issue, bool) {
	best, at := 0, -1
	var stated []string
	for i, s := range part {
		w := weight(s)
		if w > best {
			best, at = w, i
		}
		if w > 1 {
			stated = append(stated, s)
		}
	}
	least := 2
	if first {
		least = 1
		if at < 0 {
			at, best = mostSpecific(part), 1
		}
	}
	if at < 0 || best < least {
		return Issue{}, false
	}
	title := strings.TrimSpace(another.ReplaceAllString(part[at], ""))
	if len(stated) == 0 {
		stated = part[at:min(at+2, len(part))]
	}
	// The sentence before a question explains it, if it has words of the domain.
	if at > 0 && !slices.Contains(stated, part[at-1]) && specific(part[at-1]) > 0 {
		stated = append([]string{part[at-1]}, stated...)
	}
	if first && informative(subject) >= 2 {
		stated = append([]string{strings.TrimRight(subject, ".") + "."}, stated...)
	}
	return Issue{Title: clip(title, MaxTitle), Summary: clip(strings.Join(stated, " "), MaxSummary)}, true
}

// repeats reports whether at least half of the words of an issue's title occur in other
// issues, or the title has fewer than two words.
func repeats(others []Issue, i Issue) bool {
	if len(others) == 0 {
		return false
	}
	have := map[string]bool{}
	for _, o := range others {
		for _, f := range terms(o.Text(), o.Language) {
			have[f.name] = true
		}
	}
	n, same := 0, 0
	for _, f := range terms(i.Title, i.Language) {
		if f.gram {
			continue
		}
		n++
		if have[f.name] {
			same++
		}
	}
	return n < 2 || 2*same >= n
}

// mostSpecific returns the index of the sentence with the most informative and specific
// words, or -1 if no sentence has more than one informative word.
func mostSpecific(part []string) int {
	at, most := -1, 1
	for i, s := range part {
		if n := informative(s); n > 1 && n+4*specific(s) > most {
			at, most = i, n+4*specific(s)
		}
	}
	return at
}

// specific counts the different concepts of the lexicon in a text.
func specific(s string) int {
	n := 0
	for _, f := range terms(s, "") {
		if strings.HasPrefix(f.name, "c:") {
			n++
		}
	}
	return n
}

// informative counts the different words and concepts of a text that are neither function
// words nor generic.
func informative(s string) int {
	n := 0
	for _, f := range terms(s, "") {
		if !f.gram {
			n++
		}
	}
	return n
}
