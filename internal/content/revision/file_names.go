package revision

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
)

// FileOf returns the path of the source of a page in the folder: the one that it
// was imported from, or one derived from its address.
func (t *Tree) FileOf(ctx context.Context, p docs.Page) (string, error) {
	if p.File != "" {
		return p.File, nil
	}
	if p.Parent == "" {
		if home, ok, err := t.Home(ctx); err != nil {
			return "", err
		} else if ok && home.ID == p.ID {
			if taken, err := t.homeTaken(ctx); err != nil || !taken {
				return HomeFile, err
			}
		}
	}
	return t.derivedName(ctx, p)
}

// HomeFile is the path of the first page in a folder.
const HomeFile = "README.md"

// homeTaken reports whether an imported page is the landing page of the folder. A README.md
// beside its index.md would take the place of that page.
func (t *Tree) homeTaken(ctx context.Context) (bool, error) {
	if _, _, taken, err := t.Named(ctx, HomeFile); err != nil || taken {
		return taken, err
	}
	layout, err := t.Layout(ctx)
	if err != nil || layout.Readme == "" {
		return false, err
	}
	_, _, taken, err := t.Named(ctx, layout.Readme)
	return taken, err
}

// IsHomeFile reports whether a page in a file is the landing page of the folder.
func (t *Tree) IsHomeFile(ctx context.Context, file string) (bool, error) {
	if file == HomeFile {
		return true, nil
	}
	layout, err := t.Layout(ctx)
	return file != "" && file == layout.Readme, err
}

// PageWrittenTo returns the page that exports write to name because FileOf derives
// that path from its address.
func (t *Tree) PageWrittenTo(ctx context.Context, name string) (docs.Page, bool, error) {
	at := strings.TrimSuffix(name, ".md")
	p, rest, err := t.PageAt(ctx, at)
	if cut := len(at) - idSuffixLen; err == nil && rest != "" && cut > 0 { // with the suffix of a taken name
		p, rest, err = t.PageAt(ctx, at[:cut])
	}
	if err == nil && name == HomeFile {
		rest = ""
		p, _, err = t.Home(ctx)
	}
	if err != nil || rest != "" || p.ID == "" || !p.HasBody() {
		return p, false, err
	}
	where, err := t.FileOf(ctx, p)
	return p, where == name, err
}

// idSuffixLen is the length of the suffix that derivedName appends to a taken
// name: a dash and a part of the id of the page.
const idSuffixLen = 1 + 8

// maxDerivedName is the maximum length of a derived path, in bytes. It leaves room for
// the path of the folder, which may be deep in a repository.
const maxDerivedName = 600

// derivedName returns the path in the folder that is derived from the address of
// a page.
func (t *Tree) derivedName(ctx context.Context, p docs.Page) (string, error) {
	at, err := t.Path(ctx, p)
	if err != nil {
		return "", err
	}
	for len(at) > maxDerivedName && strings.Contains(at, "/") {
		_, at, _ = strings.Cut(at, "/")
	}
	name := folder.VisiblePath(at) + ".md"
	if taken, err := t.NameTaken(ctx, name); err != nil || !taken {
		return name, err
	}
	// Something imported has the name.
	return strings.TrimSuffix(name, ".md") + "-" + strings.ToLower(string(p.ID[max(0, len(p.ID)-idSuffixLen+1):])) + ".md", nil
}

// NameTaken reports whether something that was imported from a folder, content or
// not, has a name.
func (t *Tree) NameTaken(ctx context.Context, name string) (bool, error) {
	if _, _, taken, err := t.NamedLike(ctx, name); err != nil || taken {
		return taken, err
	}
	for _, at := range []string{SettingUnlisted, SettingOther} {
		if b, err := t.Setting(ctx, at+name); err != nil || b != nil {
			return b != nil, err
		}
	}
	return false, nil
}

// AssetFolder is where new files of a space are written in its folder.
const AssetFolder = ".gitbook/assets"
