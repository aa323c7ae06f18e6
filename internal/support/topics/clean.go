package topics

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Clean returns the text that the author of a message wrote: without markup, quoted
// text, greeting and signature, and with personal data masked. Paragraphs are separated
// by a line break.
func Clean(body string) string {
	if len(body) > maxMessage {
		body = body[:maxMessage]
		for len(body) > 0 && !utf8.ValidString(body[len(body)-min(len(body), 4):]) {
			body = body[:len(body)-1]
		}
	}
	body = strings.ToValidUTF8(body, "")
	if looksLikeHTML(body) {
		body = htmlText(body)
	}
	return Mask(strings.Join(written(body), "\n"))
}

var tagStart = regexp.MustCompile(`(?i)<(/?(p|div|br|span|table|tr|td|ul|ol|li|a|b|i|em|strong|html|body|head|blockquote|script|style|img|h[1-6]|pre|code|font|iframe|svg)\b|!)`)

func looksLikeHTML(s string) bool { return tagStart.MatchString(s) }

// unread are HTML elements whose text is not displayed, or is a quotation.
var unread = map[string]bool{"script": true, "style": true, "head": true, "title": true, "blockquote": true, "noscript": true, "template": true, "svg": true, "iframe": true, "object": true, "textarea": true}

var blockElements = map[string]bool{"p": true, "div": true, "br": true, "tr": true, "li": true, "ul": true, "ol": true, "table": true, "h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "pre": true, "hr": true, "blockquote": true}

// htmlText returns the text of HTML, with line breaks where blocks end. Only the text
// is kept, so nothing of it can become markup again.
func htmlText(s string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	var skipped string // the unread element that is being skipped
	depth := 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if skipped == "" {
				b.Write(z.Text())
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			tag := string(name)
			switch {
			case skipped == tag:
				depth++
			case skipped == "" && unread[tag]:
				skipped, depth = tag, 1
			}
			if blockElements[tag] {
				b.WriteByte('\n')
			}
		case html.SelfClosingTagToken:
			if name, _ := z.TagName(); blockElements[string(name)] {
				b.WriteByte('\n')
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			tag := string(name)
			if skipped == tag {
				if depth--; depth == 0 {
					skipped = ""
				}
			}
			if blockElements[tag] {
				b.WriteByte('\n')
			}
		}
	}
}

var (
	// quoteIntro matches the line with which a mail program introduces quoted text.
	quoteIntro = regexp.MustCompile(`(?i)^(-{2,} ?(original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale)|(on|am|le|el|il|em|op|den) .{4,120}(wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev).{0,3}:?\s*$|_{10,}$)`)
	headerLine = regexp.MustCompile(`(?i)^(from|to|sent|cc|von|an|gesendet|de|para|envoyé|enviado|da|a|inviato|subject|betreff|objet|asunto|oggetto|assunto|date|datum|fecha): `)
	signature  = regexp.MustCompile(`(?i)^(--|—|sent from my|von meinem .{1,30} gesendet|envoyé de mon|enviado desde mi|inviato da|get outlook)`)
	closing    = regexp.MustCompile(`(?i)^(best|kind|warm|many)? ?(regards|wishes|cheers|thanks|thank you|thx|sincerely|yours|best|mit freundlichen grüßen|mit freundlichen gruessen|viele grüße|liebe grüße|beste grüße|mfg|danke|vielen dank|cordialement|bien à vous|merci|merci d'avance|saludos|un saludo|gracias|atentamente|cordiali saluti|saluti|grazie|obrigado|obrigada|atenciosamente)( (in advance|a lot|so much|beaucoup|im voraus|mucho|mille|again))?[ ,.!]*$`)
	greeting   = regexp.MustCompile(`(?i)^(hi|hello|hey|dear|good (morning|afternoon|evening|day)|hallo|guten (tag|morgen|abend)|moin|servus|liebes?|sehr geehrte[rs]?|bonjour|bonsoir|salut|chère?|hola|buenos días|buenas( tardes)?|estimados?|ciao|buongiorno|salve|olá|oi|bom dia|boa tarde)( (there|team|all|everyone|support|zusammen|damen und herren|à tous|l'équipe|equipo|a todos|a tutti|pessoal|[A-ZÀ-Ý]\p{L}+)){0,3}[ ,.!:]*`)
	markdown   = strings.NewReplacer("**", "", "__", "", "`", "", "#", "")
	mdLink     = regexp.MustCompile(`!?\[([^\[\]\n]*)\]\([^)\s]*\)`)
	address    = regexp.MustCompile(`(?i)\b(https?|ftp)://[^\s<>"')\]]+`)
)

// written returns the lines that the author of a message wrote.
func written(body string) []string {
	var out []string
	fenced, began := false, false
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(strings.Map(visible, line))
		switch {
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fenced = !fenced
			continue
		case fenced, line == "", strings.HasPrefix(line, ">"):
			continue
		case began && (quoteIntro.MatchString(line) || headerLine.MatchString(line)):
			return out
		case began && (signature.MatchString(line) || closing.MatchString(line)):
			return out
		}
		if !began {
			line = strings.TrimSpace(line[len(greeting.FindString(line)):])
		}
		line = mdLink.ReplaceAllString(line, "$1")
		line = address.ReplaceAllString(line, "")
		line = strings.TrimSpace(markdown.Replace(line))
		if line != "" {
			began = true
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
	}
	return out
}

// visible removes invisible characters that change how text is displayed, and maps some
// white space to blanks. It is a mapping for strings.Map.
func visible(r rune) rune {
	switch {
	case r == '\t', r == '\n', r == '\u00a0':
		return ' '
	case unicode.IsControl(r), r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2069, r == 0xfeff:
		return -1
	}
	return r
}
