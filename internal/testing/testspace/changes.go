package testspace

import (
	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
)

// Random makes a random batch of changes; one that is refused changes nothing.
func (d *Desk) Random(rt *rapid.T, id docs.SpaceID) {
	before := d.Head(rt, id)
	if _, err := d.Apply(rt, id, d.Changes(rt, before)...); err != nil {
		if after := d.Head(rt, id).Rev.ID; after != before.Rev.ID {
			rt.Fatalf("a batch that was refused (%v) made a revision", err)
		}
	}
}

// Changes draws a batch of changes for a revision.
func (d *Desk) Changes(rt *rapid.T, v *revision.View) []content.Change {
	ids := Order(rt, v)
	pick := func(label string) string {
		if len(ids) == 0 {
			return ""
		}
		return string(ids[rapid.IntRange(0, len(ids)-1).Draw(rt, label)])
	}
	words := []string{"alpha", "beta", "gamma", "delta"}
	word := func(label string) string { return words[rapid.IntRange(0, len(words)-1).Draw(rt, label)] }
	text := func() string {
		out := ""
		if rapid.IntRange(0, 3).Draw(rt, "head") == 0 {
			out = "---\ncover: " + word("path") + ".png\ndescription: All of " + word("word") + "\n---\n\n"
		}
		for range rapid.IntRange(0, 3).Draw(rt, "blocks") {
			switch rapid.IntRange(0, 4).Draw(rt, "block") {
			case 0:
				out += "## " + word("heading") + "\n\n"
			case 1:
				out += "A [link](" + word("path") + ".md#" + word("anchor") + ") to " + word("word") + ".\n\n"
			case 2:
				out += "[by id](/pages/" + pick("target") + ") and [up](../" + word("path") + ".md)\n\n"
			default:
				out += "Some " + word("word") + " text.\n\n"
			}
		}
		return out
	}
	var changes []content.Change
	for range rapid.IntRange(1, 4).Draw(rt, "changes") {
		switch k := rapid.IntRange(0, 9).Draw(rt, "kind"); {
		case k < 4 || len(ids) == 0:
			into := ""
			if rapid.Bool().Draw(rt, "top") {
				into = pick("into")
			}
			changes = append(changes, Insert(word("title"), text(), into))
		case k < 6:
			changes = append(changes, Write(docs.PageID(pick("page")), text()))
		case k < 8:
			c := content.Change{Operation: content.UpdatePage, Page: pick("page")}
			if rapid.Bool().Draw(rt, "move") {
				c.Into = opt.Of(pick("into"))
			}
			if rapid.Bool().Draw(rt, "rename") {
				c.Meta.Title = opt.Of(word("title"))
			}
			if rapid.Bool().Draw(rt, "describe") {
				c.Meta.Description = opt.Of(word("description") + " [" + word("word") + "](" + word("path") + ".md)")
			}
			if rapid.IntRange(0, 3).Draw(rt, "slug") == 0 {
				c.Meta.Slug = opt.Of(word("slug"))
			}
			c.Meta.Hidden = opt.Of(rapid.IntRange(0, 5).Draw(rt, "hidden") == 0)
			c.Meta.NoIndex = opt.Of(rapid.IntRange(0, 5).Draw(rt, "noindex") == 0)
			changes = append(changes, c)
		default:
			changes = append(changes, content.Change{Operation: content.DeletePage, Page: pick("page")})
		}
	}
	return changes
}
