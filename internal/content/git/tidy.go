package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	packSuffix     = ".pack"
	promisorSuffix = ".promisor" // of a file that marks a pack as fetched from the remote
)

// tidy repacks the packs of an entry if there are too many, and empties an entry that is
// too large. It reports whether the entry is empty.
func (p *Repo) tidy(ctx context.Context) (fresh bool, _ error) {
	dir := filepath.Join(p.objects(), "objects", "pack")
	files, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	var packs []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), packSuffix); ok {
			packs = append(packs, filepath.Join(dir, name))
		}
	}
	switch {
	case len(packs) == 0:
		return true, nil
	case sizeOf(p.dir) > p.limits.Repository/2:
		return true, p.restart(ctx, "it became too large", nil)
	case len(packs) <= p.limits.Packs:
		return false, nil
	}
	err = p.join(ctx, packs)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		return true, p.restart(ctx, "its packs cannot be joined", err)
	}
	return false, nil
}

// join repacks all packs into one.
//
// git assumes that the remote has every ancestor of a fetched commit, and drops such
// objects from packs that were not fetched. These include commits of Write that somebody
// else pushed on top of. Without them, walking the history fails. Packs that are marked
// as fetched are repacked completely, so join marks all packs.
func (p *Repo) join(ctx context.Context, packs []string) error {
	for _, pack := range packs {
		f, err := os.OpenFile(pack+promisorSuffix, os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	_, err := p.git(ctx, call{args: []string{"repack", "-a", "-d", "-q", "--no-write-bitmap-index"}, promisor: true})
	return err
}

// joined reports whether the result of IsAncestor(a, b) is reliable. It is not if the
// history is truncated above a. A first fetch of b without Want.Have, or of another ref,
// truncates it.
func (p *Repo) joined(ctx context.Context, a, b string) (bool, error) {
	if a == "" || a == b {
		return true, nil
	}
	if after, err := p.IsAncestor(ctx, a, b); after || err != nil {
		return after, err
	}
	text, err := os.ReadFile(filepath.Join(p.objects(), "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	cut := map[string]bool{}
	for oid := range strings.FieldsSeq(string(text)) {
		cut[oid] = true
	}
	args := []string{"rev-list", b}
	if known, err := p.has(ctx, a); err != nil {
		return false, err
	} else if known[0] {
		args = append(args, "^"+a)
	}
	whole := true
	_, err = p.git(ctx, call{args: args, read: func(r io.Reader) error {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			if cut[lines.Text()] {
				whole = false
				return errEnough
			}
		}
		return lines.Err()
	}})
	return whole, err
}
