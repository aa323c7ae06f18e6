// Package owner knows to whom files of the data folder belong, and lets a command that an
// administrator runs work as that user.
//
// A server usually runs as its own user. It could not read what root wrote into its data
// folder.
package owner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// User is the owner of a file.
type User struct {
	UID, GID int
	Name     string // login name; empty if the system knows none
}

// String returns the name, or the number if there is no name.
func (u User) String() string {
	if u.Name != "" {
		return u.Name
	}
	return fmt.Sprintf("uid %d", u.UID)
}

// sudo returns the beginning of a command line that runs a program as the user.
func (u User) sudo() string {
	if u.Name != "" {
		return "sudo -u " + u.Name
	}
	return fmt.Sprintf("sudo -u '#%d'", u.UID)
}

// Chown returns the user as the program chown takes it.
func (u User) Chown() string {
	if u.Name != "" {
		return u.Name
	}
	return fmt.Sprint(u.UID)
}

// Of returns to whom a data folder belongs: its owner or, if that is root, the owner of the
// first of its entries who is not root; those in first come before the others. It is root
// only if nobody else has anything there. The owner of the folder or of an entry chooses
// what names in it refer to, and with a link could make root write elsewhere; so entries are not
// followed.
func Of(folder string, first ...string) (User, bool) {
	st, err := os.Stat(folder)
	if err != nil {
		return User{}, false
	}
	u, ok := of(st)
	if !ok || u.UID != 0 || !st.IsDir() {
		return u, ok
	}
	entries, _ := os.ReadDir(folder) // root may read it
	paths := append([]string{folder}, first...)
	for _, e := range entries {
		paths = append(paths, filepath.Join(folder, e.Name()))
	}
	for _, path := range paths { // the folder itself may be a link
		st, err := os.Lstat(path)
		if err != nil {
			continue
		}
		if its, ok := of(st); ok && its.UID != 0 {
			return its, true
		}
	}
	return u, ok
}

// Explain adds to an error of a path of the data folder whose it is, if that is another
// user than the one of this process, who therefore may not use it. It returns other errors
// unchanged.
func Explain(path string, err error) error {
	if err == nil {
		return nil
	}
	for !exists(path) && filepath.Dir(path) != path {
		path = filepath.Dir(path)
	}
	st, statErr := os.Stat(path)
	if statErr != nil {
		return err
	}
	u, ok := of(st)
	if me := os.Geteuid(); !ok || me < 0 || me == u.UID {
		return err
	}
	return fmt.Errorf("%w: %s belongs to %s, and this command runs as %s; run it as %s (%s octavo …), or give the data to %s (chown -R)",
		err, path, u, current(), u, u.sudo(), current())
}

// printable returns a path quoted if its owner chose a name that a terminal would act on.
func printable(path string) string {
	if quoted := strconv.Quote(path); quoted != `"`+path+`"` {
		return quoted
	}
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

// Foreign returns what the owner of the data could not use of the files below root: those
// that belong to somebody else, and those that the owner may not read. It calls found with
// a description of each, and returns their number. A root that does not exist has none.
func Foreign(root string, u User, found func(string)) (n int, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		report := func(format string, args ...any) {
			n++
			found(printable(path) + " " + fmt.Sprintf(format, args...))
		}
		if err != nil {
			report("cannot be read: %v", errors.Unwrap(err))
			return nil
		}
		st, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // removed meanwhile
		}
		its, ok := of(st)
		need := fs.FileMode(0o400)
		if d.IsDir() {
			need = 0o700
		}
		switch {
		case ok && its.UID != u.UID:
			report("belongs to %s", its)
		case st.Mode()&fs.ModeSymlink == 0 && st.Mode()&need != need:
			report("has the mode %s", st.Mode())
		}
		return nil
	})
	return n, err
}
