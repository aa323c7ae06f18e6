package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/services"
)

type doctorCmd struct {
	storeFlags
	Listen string `help:"Address that serve would listen on." default:"127.0.0.1:8080" env:"OCTAVO_LISTEN"`
	addressFlag
	SitesDomain string `help:"Domain of published sites, as given to serve." name:"sites-domain" env:"OCTAVO_SITES_DOMAIN" placeholder:"DOMAIN"`
	SMTP        string `help:"Mail server, as given to serve: it is asked to let us in, and no mail is sent." name:"smtp" env:"OCTAVO_SMTP" placeholder:"URL"`
	MailFrom    string `help:"Sender of mails, as given to serve." name:"mail-from" env:"OCTAVO_MAIL_FROM" placeholder:"ADDRESS"`
	Verify      bool   `help:"Compare search and links of every space with its content; it reads everything."`
}

// finding is the result of one check. A warning does not make the command fail.
type finding struct {
	name    string
	err     error
	warning bool
	note    string
}

const (
	diskLow    = 100 << 20
	probeSize  = 1 << 20 // about the size of a large write
	maxSkew    = 5 * time.Second
	badClockAt = 2024
	doctorTime = time.Hour
)

func (c *doctorCmd) Run(ctx context.Context, s streams) error {
	owned := c.ownership() // as root, who sees everything
	if err := c.becomeOwner(); err != nil {
		return err
	}
	findings := []finding{c.configuration(), c.disk(), owned, clock(time.Now())}
	findings = append(findings, c.database(ctx)...)
	findings = append(findings, c.storage(ctx), c.mailServer(ctx), gitProgram(ctx))
	bad := 0
	for _, f := range findings {
		mark, text := "ok  ", f.note
		switch {
		case f.err != nil && f.warning:
			mark, text = "warn", brief(f.err).Error()
		case f.err != nil:
			mark, text = "FAIL", brief(f.err).Error()
			bad++
		}
		if _, err := fmt.Fprintf(s.out, "%s  %-14s %s\n", mark, f.name, text); err != nil {
			return err
		}
	}
	if bad > 0 {
		return exitError(1)
	}
	return nil
}

func (c *doctorCmd) configuration() finding {
	f := finding{name: "configuration", note: "listen " + c.Listen}
	if _, err := net.ResolveTCPAddr("tcp", c.Listen); err != nil {
		f.err = fmt.Errorf("--listen %q is not host:port: %w", c.Listen, err)
		return f
	}
	f.err = checkBaseURL(c.BaseURL)
	return f
}

func (c *doctorCmd) disk() finding {
	f := finding{name: "disk"}
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		f.err, f.warning = fmt.Errorf("the data folder %s does not exist yet; bootstrap and serve make it", c.Data), true
		return f
	}
	probe := filepath.Join(c.Data, ".doctor")
	if f.err = os.WriteFile(probe, make([]byte, probeSize), 0o600); f.err != nil {
		return f
	}
	if f.err = os.Remove(probe); f.err != nil {
		return f
	}
	var st syscall.Statfs_t
	if f.err = syscall.Statfs(c.Data, &st); f.err != nil {
		return f
	}
	free := st.Bavail * uint64(st.Bsize) //nolint:gosec // a block size is positive
	f.note = fmt.Sprintf("%s is writable, %d MB free", c.Data, free>>20)
	if free < diskLow {
		f.err, f.warning = fmt.Errorf("only %d MB are free in %s", free>>20, c.Data), true
	}
	return f
}

func clock(now time.Time) finding {
	f := finding{name: "clock", note: now.UTC().Format(time.RFC3339)}
	if now.Year() < badClockAt {
		f.err = fmt.Errorf("the clock says %s: tokens and the trash would expire wrongly", now.UTC().Format(time.RFC3339))
	}
	return f
}

func (c *doctorCmd) database(ctx context.Context) []finding {
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	open := finding{name: "database"}
	st, err := c.attach(ctx)
	if err != nil {
		open.err, open.warning = err, errors.Is(err, errNoData)
		if errors.Is(err, store.ErrEmpty) {
			open.err, open.warning = errors.New("it is empty; bootstrap, migrate and serve make the tables"), true
		}
		return []finding{open}
	}
	defer st.Close()
	v, err := st.SchemaVersion(ctx)
	open.err, open.note = err, fmt.Sprintf("%s, schema %d", st.Dialect(), v)
	whole := finding{name: "integrity", note: "no damage found", err: st.Check(ctx)}
	skew := finding{name: "database clock"}
	if d, err := st.ClockSkew(ctx); err != nil {
		skew.err = err
	} else if skew.note = fmt.Sprintf("differs by %v", d.Round(time.Millisecond)); d.Abs() > maxSkew {
		skew.err, skew.warning = fmt.Errorf("the clock of the database differs by %v", d.Round(time.Millisecond)), true
	}
	queue := finding{name: "jobs", note: "none failed"}
	counts, err := st.JobCounts(ctx)
	queue.err = err
	for _, n := range counts {
		if n.State == "failed" {
			queue.err, queue.warning = errors.Join(queue.err, fmt.Errorf("%d jobs of kind %s were given up", n.N, n.Kind)), true
		}
	}
	out := []finding{open, whole, skew, queue, outgoing(ctx, st), c.sites(ctx, st)}
	if c.Verify {
		out = append(out, c.content(ctx, st))
	}
	return out
}

// content compares the derived data of each space with its content. Each space is read in
// one consistent state.
func (c *doctorCmd) content(ctx context.Context, st *store.Store) finding {
	f := finding{name: "content"}
	files, err := c.files().OpenToRead(ctx, st)
	if err != nil {
		f.err = err
		return f
	}
	if f.err = st.CheckObjects(ctx); f.err != nil {
		return f
	}
	base, _ := c.knownAddress(c.storeFlags)
	sv, err := services.New(st, files, services.Settings{BaseURL: base})
	if err != nil {
		f.err = err
		return f
	}
	spaces, err := st.AllSpaces(ctx)
	if err != nil {
		f.err = err
		return f
	}
	var m mistakes
	for _, id := range spaces {
		found, err := sv.Content.Index.VerifySpace(ctx, id)
		for _, line := range found {
			m.add(fmt.Sprintf("space %s: %s", id, line))
		}
		if err != nil {
			m.add(fmt.Sprintf("space %s: %v", id, err))
		}
	}
	f.err = m.err()
	f.note = fmt.Sprintf("search and links of %d spaces agree with their content", len(spaces))
	return f
}

func gitProgram(ctx context.Context) finding {
	f := finding{name: "git", warning: true}
	version, err := (&git.Runner{}).Check(ctx)
	var known *errs.Error
	switch {
	case errors.As(err, &known):
		f.err = errors.New(known.Message)
	case err != nil:
		f.err = err
	default:
		f.note = version
	}
	return f
}
