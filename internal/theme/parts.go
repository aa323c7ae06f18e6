package theme

import (
	"html/template"
	"strings"
	"sync"
)

// Parts keeps what is the same on all pages of a site as HTML: the assets, the
// header without the variants, the footer. Frames that share it differ in nothing
// but Draft, Variants, Navigation, Feedback, Alert and what the page says of itself.
// The zero value is ready for use by many at once; a nil one keeps nothing.
type Parts struct {
	mu   sync.Mutex
	kept map[string]string
}

// get returns a part, by the template that writes it.
func (p *Parts) get(t *template.Template, name string, s shown) (text string, err error) {
	text = p.keep(name, func() string {
		var b strings.Builder
		if err = t.ExecuteTemplate(&b, name, s); err != nil {
			return ""
		}
		return b.String()
	})
	return text, err
}

// keep returns what was kept under a name, or makes it. Nothing empty is kept.
func (p *Parts) keep(name string, make func() string) string {
	if p == nil {
		return make()
	}
	p.mu.Lock()
	text, ok := p.kept[name]
	p.mu.Unlock()
	if ok {
		return text
	}
	if text = make(); text != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.kept == nil {
			p.kept = map[string]string{}
		}
		p.kept[name] = text
	}
	return text
}
