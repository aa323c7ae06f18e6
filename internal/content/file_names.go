package content

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/folder"
)

// fileOf gives where the source of a page stands in a folder: where it came
// from, or after its address.
func (t *tree) fileOf(ctx context.Context, p docs.Page) (string, error) {
	if p.File != "" {
		return p.File, nil
	}
	if p.Parent == "" {
		if home, ok, err := t.Home(ctx); err != nil {
			return "", err
		} else if ok && home.ID == p.ID {
			if _, _, taken, err := t.named(ctx, homeFile); err != nil || !taken {
				return homeFile, err
			}
		}
	}
	return t.bornName(ctx, p)
}

// homeFile is where the first page stands in a folder.
const homeFile = "README.md"

// born gives the page without a file of its own that is written to a path.
func (t *tree) born(ctx context.Context, name string) (docs.Page, bool, error) {
	at := strings.TrimSuffix(name, ".md")
	p, rest, err := t.exact(ctx, at)
	if cut := len(at) - bornSuffix; err == nil && rest != "" && cut > 0 { // or its name was taken
		p, rest, err = t.exact(ctx, at[:cut])
	}
	if err == nil && name == homeFile {
		rest = ""
		p, _, err = t.Home(ctx)
	}
	if err != nil || rest != "" || p.ID == "" || !p.HasBody() {
		return p, false, err
	}
	where, err := t.fileOf(ctx, p)
	return p, where == name, err
}

// bornSuffix is how long the end is that makes a name another one: a dash and
// a part of the id of the page.
const bornSuffix = 1 + 8

// maxBorn is how long such a path gets, in bytes: the folder that it is
// written to, which may be deep in a repository, needs room before it.
const maxBorn = 600

// bornName gives the file of a page that has none of its own, after its
// address.
func (t *tree) bornName(ctx context.Context, p docs.Page) (string, error) {
	at, err := t.Path(ctx, p)
	if err != nil {
		return "", err
	}
	for len(at) > maxBorn && strings.Contains(at, "/") {
		_, at, _ = strings.Cut(at, "/")
	}
	name := folder.Visible(at) + ".md"
	if taken, err := t.taken(ctx, name); err != nil || !taken {
		return name, err
	}
	// Something that came from a folder has the name.
	return strings.TrimSuffix(name, ".md") + "-" + strings.ToLower(string(p.ID[max(0, len(p.ID)-bornSuffix+1):])) + ".md", nil
}

// taken tells whether something that came from a folder has a name, content
// or not.
func (t *tree) taken(ctx context.Context, name string) (bool, error) {
	if _, _, taken, err := t.named(ctx, name); err != nil || taken {
		return taken, err
	}
	for _, at := range []string{settingUnlisted, settingOther} {
		if b, err := t.setting(ctx, at+name); err != nil || b != nil {
			return b != nil, err
		}
	}
	return false, nil
}

// AssetFolder is where new files of a space are written in its folder.
const AssetFolder = ".gitbook/assets"
