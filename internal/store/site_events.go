package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// EventKey is what events of sites are counted by.
type EventKey struct {
	Site      docs.SiteID
	Day       int64 // since 1970, UTC
	Event     string
	SiteSpace docs.SiteItemID
	Space     docs.SpaceID
	Page      docs.PageID
	Detail    string
}

// EventCount is how many events there were.
type EventCount struct {
	EventKey
	Events int64
}

// AddEvents adds to the counts of events. Events of sites that are gone are left
// out.
func (tx siteWrites) AddEvents(ctx context.Context, counts []EventCount) error {
	exists := map[docs.SiteID]bool{}
	var kept []EventCount
	for _, c := range counts {
		there, asked := exists[c.Site]
		if !asked {
			n, err := engine.One(ctx, tx, "count", engine.ScanInt, `SELECT COUNT(*) FROM sites WHERE id = $1`, c.Site)
			if err != nil {
				return err
			}
			there = n > 0
			exists[c.Site] = there
		}
		if there {
			kept = append(kept, c)
		}
	}
	return engine.InsertAll(ctx, tx, `INSERT INTO site_events (site_id, day, event, site_space_id, space_id, page_id, detail, events)`, `
		ON CONFLICT (site_id, day, event, site_space_id, space_id, page_id, detail)
		DO UPDATE SET events = site_events.events + excluded.events`, kept, func(c EventCount) []any {
		return []any{c.Site, c.Day, c.Event, c.SiteSpace, c.Space, c.Page, c.Detail, c.Events}
	})
}

// EventGroups says what events are grouped by, besides their place.
type EventGroups struct{ Day, Event, Page, Detail bool }

// CountEvents counts the events of a site from one day to another one, both
// included. It returns at most limit counts.
func (r siteReads) CountEvents(ctx context.Context, site docs.SiteID, from, to int64, by EventGroups, limit int) ([]EventCount, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (c EventCount, err error) {
		c.Site = site
		err = s.Scan(&c.Day, &c.Event, &c.SiteSpace, &c.Space, &c.Page, &c.Detail, &c.Events)
		return c, err
	}, `SELECT g.day, g.event, g.site_space_id, g.space_id, g.page_id, g.detail, cast(SUM(g.events) AS BIGINT) FROM (
			SELECT CASE WHEN cast($4 AS INTEGER) = 1 THEN e.day ELSE 0 END AS day,
				CASE WHEN cast($5 AS INTEGER) = 1 THEN e.event ELSE '' END AS event, e.site_space_id, e.space_id,
				CASE WHEN cast($6 AS INTEGER) = 1 THEN e.page_id ELSE '' END AS page_id,
				CASE WHEN cast($7 AS INTEGER) = 1 THEN e.detail ELSE '' END AS detail, e.events
			FROM site_events e WHERE e.site_id = $1 AND e.day >= $2 AND e.day <= $3
		) AS g GROUP BY g.day, g.event, g.site_space_id, g.space_id, g.page_id, g.detail
		ORDER BY g.day, g.event, g.site_space_id, g.space_id, g.page_id, g.detail LIMIT $8 + 0`,
		site, from, to, flag(by.Day), flag(by.Event), flag(by.Page), flag(by.Detail), limit)
}

// TrimEvents removes the counts of the oldest day before a day, and reports
// how many there were.
func (tx siteWrites) TrimEvents(ctx context.Context, before int64) (int64, error) {
	return engine.Exec(ctx, tx, `
		DELETE FROM site_events WHERE day = (SELECT MIN(e.day) FROM site_events e) AND day < $1`, before)
}
