// Command changelog assembles the entries in changelog/unreleased. Without arguments it
// prints what the next release says; with a version it moves the entries into
// CHANGELOG.md, as the newest release.
//
// An entry is a file NAME.md of one paragraph for each change, which begins with its
// kind: "Added: …". A file for each change does not conflict with those of others.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	folder = "changelog/unreleased"
	file   = "CHANGELOG.md"
)

// kinds are the sections of a release, in order.
var kinds = []string{"Security", "Added", "Changed", "Fixed", "Removed"}

func main() {
	if err := run(os.Args[1:], os.Stdout, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "changelog:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer, now time.Time) error {
	paths, err := filepath.Glob(folder + "/*.md")
	if err != nil {
		return err
	}
	slices.Sort(paths)
	sections, err := read(paths)
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		_, err := io.WriteString(out, "## Unreleased\n\n"+sections)
		return err
	case len(args) > 1 || !version.MatchString(args[0]):
		return errors.New("want no argument, or the version of a release, such as 0.2.0")
	case sections == "":
		return fmt.Errorf("%s has no entries", folder)
	}
	if err := release(fmt.Sprintf("## %s (%s)\n\n%s", args[0], now.Format(time.DateOnly), sections)); err != nil {
		return err
	}
	for _, path := range paths {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

var version = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)

// read returns the sections of a release with the entries of all files.
func read(paths []string) (string, error) {
	entries := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		for _, entry := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
			kind, change, found := strings.Cut(entry, ":")
			if !found || !slices.Contains(kinds, kind) || strings.TrimSpace(change) == "" {
				return "", fmt.Errorf("%s: a paragraph begins with one of %s, and a colon: %q", path, strings.Join(kinds, ", "), entry)
			}
			entries[kind] += "- " + strings.ReplaceAll(strings.TrimSpace(change), "\n", "\n  ") + "\n"
		}
	}
	var out strings.Builder
	for _, kind := range kinds {
		if entries[kind] != "" {
			out.WriteString("### " + kind + "\n\n" + entries[kind] + "\n")
		}
	}
	return out.String(), nil
}

// release adds a release to the changelog, before the one that was the newest.
func release(text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, rest, found := strings.Cut(string(old), "\n## ")
	if !found {
		return fmt.Errorf("%s has no release", file)
	}
	return os.WriteFile(file, []byte(head+"\n"+text+"## "+rest), 0o644)
}
