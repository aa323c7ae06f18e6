package translate

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/outbound"
)

// maxAnswer limits the size of an answer, in bytes.
const maxAnswer = 4 << 20

// service is the HTTP client of an engine.
type service struct {
	poster *outbound.Poster
	base   string // without a slash at the end
	header map[string]string
}

// post sends a body and returns the text of the answer.
func (s service) post(ctx context.Context, path, contentType string, body []byte) (string, error) {
	header := map[string]string{"Content-Type": contentType, "Accept": "application/json"}
	for name, value := range s.header {
		header[name] = value
	}
	answer, err := s.poster.Post(ctx, s.base+path, header, body, maxAnswer)
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return "", err
	case err != nil:
		return "", &Failure{Reason: "the engine cannot be reached: " + errs.Message(err), Err: err}
	case answer.Status >= 200 && answer.Status < 300 && answer.Broken != nil:
		return "", &Failure{Reason: "the engine's answer broke off: " + errs.Message(answer.Broken), Err: answer.Broken}
	case answer.Status >= 200 && answer.Status < 300:
		return answer.Text, nil
	case answer.Status == 408 || answer.Status == 425 || answer.Status == 429 || answer.Status >= 500:
		f := temporary("the engine answered with status %d", answer.Status)
		f.After = outbound.Wait(answer.RetryAfter, time.Now(), maxPause)
		return "", f
	case answer.Status == 413 || answer.Status == 422:
		return "", garbled("the engine answered with status %d", answer.Status)
	}
	// The body of the response is not quoted, because it may contain the operator's key.
	hint := ""
	if answer.Status == 401 || answer.Status == 403 {
		hint = "; it may want another key"
	}
	return "", permanent("the engine answered with status %d%s", answer.Status, hint)
}

// postJSON sends in as JSON and decodes the answer into out.
func (s service) postJSON(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	text, err := s.post(ctx, path, "application/json", body)
	if err != nil {
		return err
	}
	return readAnswer(text, out)
}

func readAnswer(text string, out any) error {
	if err := json.Unmarshal([]byte(text), out); err != nil {
		return &Failure{Reason: "the engine's answer is not JSON of the expected form", Garbled: true, Err: err}
	}
	return nil
}

// Apy is the HTTP service of Apertium, APy.
type Apy struct{ service }

// Translate implements Engine.
func (a Apy) Translate(ctx context.Context, r Request) ([]string, error) {
	return apertium(ctx, r, func(ctx context.Context, from, to, page string) (string, error) {
		form := url.Values{"langpair": {from + "|" + to}, "format": {"html"}, "markUnknown": {"no"}, "q": {page}}
		text, err := a.post(ctx, "/translate", "application/x-www-form-urlencoded", []byte(form.Encode()))
		if err != nil {
			return "", err
		}
		var out struct {
			Data struct {
				Text *string `json:"translatedText"`
			} `json:"responseData"`
		}
		if err := readAnswer(text, &out); err != nil {
			return "", err
		}
		if out.Data.Text == nil {
			return "", garbled("the engine's answer has no translation")
		}
		return *out.Data.Text, nil
	})
}

// Libre is a service with the interface of LibreTranslate.
type Libre struct {
	service
	key string
}

// Translate implements Engine.
func (l Libre) Translate(ctx context.Context, r Request) ([]string, error) {
	in := struct {
		Q      []string `json:"q"`
		Source string   `json:"source"`
		Target string   `json:"target"`
		Format string   `json:"format"`
		Key    string   `json:"api_key,omitempty"`
	}{Source: libreCode(r.From), Target: libreCode(r.To), Format: "html", Key: l.key}
	back := make([]func(string) string, len(r.Texts))
	g := NewGlossary(r.Terms)
	for i, t := range r.Texts {
		masked, unmask := mask(t, g)
		in.Q, back[i] = append(in.Q, masked), unmask
	}
	var out struct {
		Text []string `json:"translatedText"`
	}
	if err := l.postJSON(ctx, "/translate", in, &out); err != nil {
		return nil, err
	}
	if len(out.Text) != len(r.Texts) {
		return nil, garbled("the engine answered with %d texts instead of %d", len(out.Text), len(r.Texts))
	}
	for i, t := range out.Text {
		out.Text[i] = back[i](normalTags(t))
	}
	return out.Text, nil
}

// libreCode returns LibreTranslate's code of a language.
func libreCode(language string) string {
	switch language {
	case "zh-tw":
		return "zt"
	case "pt-br":
		return "pb"
	case "no":
		return "nb"
	}
	return language
}

// normalTags rewrites the placeholders of an answer in the form that was sent, because
// services that parse HTML serialize tags differently.
func normalTags(s string) string {
	return looseTag.ReplaceAllStringFunc(s, func(t string) string {
		m := looseTag.FindStringSubmatch(t)
		switch {
		case m[1] == "/" && strings.EqualFold(m[2], "g"):
			return "</g>"
		case m[1] == "/":
			return "" // of <x></x>
		case strings.EqualFold(m[2], "x"):
			return `<x id="` + m[3] + `"/>`
		}
		return `<g id="` + m[3] + `">`
	})
}
