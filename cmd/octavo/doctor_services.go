package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/owner"
	"github.com/octavo-docs/octavo/internal/web/server"
)

// maxLines is the maximum number of lines of a finding. A damaged installation may have as
// many mistakes as it has pages.
const maxLines = 20

// mistakes collects the lines of a finding. It keeps those that are printed, and counts
// the others.
type mistakes struct {
	lines []string
	n     int
}

func (m *mistakes) add(text string) {
	for line := range strings.Lines(text) {
		if m.n++; m.n <= maxLines {
			m.lines = append(m.lines, strings.TrimSuffix(line, "\n"))
		}
	}
}

// err returns an error with the lines, or nil if there are none.
func (m *mistakes) err() error {
	if m.n == 0 {
		return nil
	}
	lines := m.lines
	if m.n > maxLines { // the last line is the count
		lines = append(slices.Clone(lines[:maxLines-1]), fmt.Sprintf("… and %d more", m.n-maxLines+1))
	}
	return errors.New(strings.Join(lines, "\n"))
}

// brief returns an error that may have many lines as one that is printed.
func brief(err error) error {
	var m mistakes
	m.add(err.Error())
	return m.err()
}

// ownership looks for what the owner of the data cannot use in the data folder: commands
// of older versions that root ran left such files.
func (c *doctorCmd) ownership() finding {
	u, ok := c.owner()
	f := finding{name: "owner", note: "everything belongs to " + u.String()}
	if st, err := os.Stat(c.Data); !ok || err != nil || !st.IsDir() {
		f.note = "there is no data folder yet"
		return f
	}
	var m mistakes
	m.add(fmt.Sprintf("%[1]s cannot use what follows; as root, chown -R %[2]s %[3]s and chmod -R u+rwX %[3]s mend it:", u, u.Chown(), c.Data))
	n, err := owner.Foreign(c.Data, u, m.add)
	if n > 0 {
		err = errors.Join(m.err(), err)
	}
	f.err = err
	return f
}

// storage looks whether the files of pages are where the flags say, and writes, reads and
// deletes one there.
func (c *doctorCmd) storage(ctx context.Context) finding {
	f := finding{name: "files"}
	place := c.files()
	var known store.FilePlace
	st, err := c.attach(ctx)
	if err == nil { // otherwise the database has a finding of its own
		defer st.Close()
		if known, f.err = server.KnownPlace(ctx, st); f.err != nil {
			return f
		}
	}
	if _, err := os.Stat(place.Folder); place.S3.Bucket == "" && err != nil {
		if f.note = "there are none yet"; known.Mark != "" {
			f.err = place.Elsewhere(known)
		}
		return f
	}
	open := place.Open
	if st != nil {
		open = func(ctx context.Context) (blob.Store, error) { return place.OpenToRead(ctx, st) }
	}
	files, err := open(ctx)
	if err == nil {
		err = blob.Probe(ctx, files)
	}
	f.err, f.note = err, place.String()+" can be written, read and deleted"
	if known.Mark != "" {
		f.note += ", and has the mark " + known.Mark + " of this database"
	}
	return f
}

// mailServer signs in to the mail server. It sends nothing.
func (c *doctorCmd) mailServer(ctx context.Context) finding {
	f := finding{name: "mail", note: "there is no --smtp, so none is sent"}
	if c.SMTP == "" {
		return f
	}
	sender, err := mail.ParseSMTP(c.SMTP, c.MailFrom)
	if err != nil {
		f.err = fmt.Errorf("--smtp, --mail-from: %w", err)
		return f
	}
	f.err, f.note = sender.Check(ctx), fmt.Sprintf("the server %s:%d answers and lets us in", sender.Host, sender.Port)
	return f
}
