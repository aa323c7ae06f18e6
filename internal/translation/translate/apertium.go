package translate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Apertium is an Engine that runs the program apertium.
type Apertium struct {
	Path    string        // of the program; empty: looked up in PATH
	Timeout time.Duration // of one batch; 0 is one minute
}

// Translate implements Engine.
func (a Apertium) Translate(ctx context.Context, r Request) ([]string, error) {
	return apertium(ctx, r, func(ctx context.Context, from, to, page string) (string, error) {
		return a.run(ctx, from+"-"+to, page)
	})
}

// run translates a page of HTML.
func (a Apertium) run(caller context.Context, pair, page string) (string, error) {
	timeout := a.Timeout
	if timeout <= 0 {
		timeout = time.Minute
	}
	ctx, cancel := context.WithTimeout(caller, timeout)
	defer cancel()
	path := a.Path
	if path == "" {
		path = "apertium"
	}
	cmd := exec.CommandContext(ctx, path, "-u", "-f", "html-noent", pair)
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "LC_ALL=C.UTF-8"}
	cmd.Stdin = strings.NewReader(page)
	var out bounded
	var problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	switch {
	case caller.Err() != nil:
		return "", caller.Err()
	case ctx.Err() != nil:
		return "", temporary("apertium took longer than %s", timeout)
	case errors.Is(err, exec.ErrNotFound):
		return "", permanent("the program apertium is not installed")
	case err != nil && strings.Contains(problem.String()+out.String(), "does not exist"):
		return "", permanent("apertium has no translation %s; install its package", pair)
	case err != nil:
		return "", &Failure{Reason: "apertium failed: " + clip(problem.String()), Err: err}
	}
	return out.String(), nil
}

// bounded is a buffer that refuses writes beyond maxAnswer bytes.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxAnswer {
		return 0, errors.New("the answer is too large")
	}
	return b.Buffer.Write(p)
}

// apertiumCodes maps language codes to those of Apertium.
var apertiumCodes = map[string]string{
	"en": "eng", "fr": "fra", "de": "deu", "es": "spa", "it": "ita", "pt": "por", "pt-br": "por_BR", "ru": "rus", "ar": "ara", "hi": "hin",
	"nl": "nld", "pl": "pol", "tr": "tur", "sv": "swe", "no": "nob", "da": "dan", "fi": "fin", "el": "ell", "cs": "ces", "hu": "hun", "ro": "ron",
	"id": "ind", "ms": "msa", "uk": "ukr", "sk": "slk", "bg": "bul", "hr": "hbs", "lt": "lit", "lv": "lav", "et": "est", "sl": "slv",
}

// apertium translates the texts of a request as one HTML page, with call. Each text is a
// paragraph, so that no grammar rule applies across two texts. Apertium keeps the
// placeholders, because it does not interpret unknown tags.
func apertium(ctx context.Context, r Request, call func(ctx context.Context, from, to, page string) (string, error)) ([]string, error) {
	from, to := apertiumCodes[r.From], apertiumCodes[r.To]
	if from == "" || to == "" {
		return nil, permanent("Apertium does not translate from %s to %s", r.From, r.To)
	}
	g := NewGlossary(r.Terms)
	back := make([]func(string) string, len(r.Texts))
	var page strings.Builder
	for i, t := range r.Texts {
		var masked string
		masked, back[i] = mask(t, g)
		fmt.Fprintf(&page, "<p id=\"%d\">%s</p>\n", i, masked)
	}
	answer, err := call(ctx, from, to, page.String())
	if err != nil {
		return nil, err
	}
	out := make([]string, len(r.Texts))
	for _, m := range paragraph.FindAllStringSubmatch(answer, -1) {
		i, err := strconv.Atoi(m[1])
		if err != nil || i >= len(out) || out[i] != "" {
			return nil, garbled("the engine answered with paragraphs that were not asked for")
		}
		out[i] = back[i](normalTags(m[2]))
	}
	return out, nil
}

var paragraph = regexp.MustCompile(`(?s)<p id="(\d{1,6})">(.*?)</p>`)
