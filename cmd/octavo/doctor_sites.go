package main

import (
	"context"
	"fmt"

	"github.com/octavo-docs/octavo/internal/store"
)

// sites warns if sites of several organizations have one origin, which is also that of the console: what runs
// in a page of one could read the others, and act for whoever is signed in.
func (c *doctorCmd) sites(ctx context.Context, st *store.Store) finding {
	f := finding{name: "sites", warning: true, note: "have a domain of their own"}
	if c.SitesDomain != "" {
		return f
	}
	n, err := st.CountOrganizations(ctx)
	switch {
	case err != nil:
		f.err, f.warning = err, false
	case n > 1:
		f.err = fmt.Errorf("there are %d organizations, and their sites share the address of the console; give doctor and serve --sites-domain, so that each has a host of its own", n)
	default:
		f.note = "share the address of the console, which is fine for one organization"
	}
	return f
}
