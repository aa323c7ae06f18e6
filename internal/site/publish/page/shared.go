package page

import (
	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/print/formula"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// Limits of what is kept.
const (
	maxEditions    = 200_000  // pages in all cached editions
	maxTexts       = 64 << 20 // bytes of all cached page texts
	maxStates      = 32 << 20 // bytes of all cached site states
	maxShells      = 8 << 20  // bytes of all cached frames of sites
	maxReviews     = 20_000   // changed pages in all cached lists of changes
	highlightBytes = 16 << 20
	formulaBytes   = 4 << 20
)

// Shared is what all composers of a server share: the services that have the content, and caches.
type Shared struct {
	Audience *audience.Service
	Sites    *sites.Service
	Content  *content.Service
	tries    bool // readers can try operations of APIs
	Pictures bool // a server makes pictures smaller

	states    *cache.Cache[stateKey, *State]
	filtered  *cache.Cache[settingsKey, *customization.Settings]
	editions  *edition.Cache
	texts     *texts
	shells    *cache.Cache[Key, *shell]
	reviews   *cache.Cache[changedKey, *changed]
	highlight *highlight.Highlighter
	formulas  *formula.Typesetter

	MaxListed int // pages in one sitemap; tests have fewer
	FullPages int // pages in one part of llms-full.txt
}

// New returns what composers share. Readers can try operations of APIs if tries is true.
func New(a *audience.Service, s *sites.Service, c *content.Service, tries bool) *Shared {
	return &Shared{
		Audience: a, Sites: s, Content: c, tries: tries,
		states:    cache.New[stateKey](maxStates, (*State).weight),
		filtered:  cache.New[settingsKey](maxStates, func(*customization.Settings) int { return settingsWeight }),
		editions:  edition.NewCache(maxEditions),
		texts:     newTexts(),
		shells:    cache.New[Key](maxShells, func(*shell) int { return shellWeight }),
		reviews:   cache.New[changedKey](maxReviews, func(c *changed) int { return 1 + len(c.pages) }),
		highlight: highlight.New(highlightBytes), formulas: formula.New(formulaBytes),
		MaxListed: maxListed, FullPages: fullPages,
	}
}
