package theme

import (
	"html/template"
	"strings"
	"sync"
)

// Parts caches the HTML that all pages of a site share: the assets, the header without the
// variants, and the footer. Frames that share Parts may differ only in Draft, Variants,
// Navigation, Drawer, Feedback, Alert and the metadata of the page. The zero value is ready for use,
// and safe for concurrent use. A nil *Parts caches nothing.
type Parts struct {
	mu   sync.Mutex
	kept map[string]string
}

// get returns a part, by the name of its template.
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

// keep returns the cached value of a name, or computes and caches it. Empty values are not
// cached.
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
