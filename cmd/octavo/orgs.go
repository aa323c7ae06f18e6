package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"text/tabwriter"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/orgs"
	"github.com/octavo-docs/octavo/internal/server"
	"github.com/octavo-docs/octavo/internal/store"
)

type orgCmd struct {
	List    orgListCmd    `cmd:"" help:"List organizations."`
	Delete  orgDeleteCmd  `cmd:"" help:"Put an organization out of reach; it is purged after 7 days."`
	Restore orgRestoreCmd `cmd:"" help:"Bring back an organization that was deleted less than 7 days ago."`
}

// orgLine is an organization as the command line prints it.
type orgLine struct {
	ID        docs.OrgID `json:"id"`
	Title     string     `json:"title"`
	Members   int64      `json:"members"`
	Spaces    int64      `json:"spaces"`
	Sites     int64      `json:"sites"`
	DeletedAt docs.Time  `json:"deletedAt,omitzero"`
}

type orgListCmd struct {
	storeFlags
	Deleted bool   `help:"Only those that are deleted."`
	Limit   int    `help:"How many at most, 1 to 1000." default:"100"`
	After   string `help:"Only those behind this id, which is the last one that was printed before." placeholder:"ID"`
	JSON    bool   `help:"Print a line of JSON for each." name:"json"`
}

func (c *orgListCmd) Run(ctx context.Context, s streams) error {
	if c.Limit < 1 || c.Limit > 1000 {
		return errors.New("--limit is 1 to 1000")
	}
	return c.with(ctx, func(sv server.Services) error {
		list, _, err := sv.Store.AnyOrganizations(ctx, c.Deleted, store.Page{After: store.Key{c.After}, Limit: c.Limit})
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
		for _, o := range list {
			line := orgLine{o.Org.ID, o.Org.Title, o.Members, o.Spaces, o.Sites, o.DeletedAt}
			if c.JSON {
				err = json.NewEncoder(s.out).Encode(line)
			} else {
				state := ""
				if !o.DeletedAt.IsZero() {
					state = "deleted " + o.DeletedAt.String()
				}
				_, err = fmt.Fprintf(w, "%s\t%q\t%d members\t%d spaces\t%d sites\t%s\n", line.ID, line.Title, line.Members, line.Spaces, line.Sites, state)
			}
			if err != nil {
				return err
			}
		}
		return w.Flush()
	})
}

type orgDeleteCmd struct {
	storeFlags
	ID  string `arg:"" help:"Id of the organization."`
	Yes bool   `help:"Delete it. Without this, the command says what would be deleted, and how to export it first."`
}

func (c *orgDeleteCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv server.Services) error {
		o, err := sv.Store.AnyOrganization(ctx, docs.OrgID(c.ID))
		if err != nil {
			return err
		}
		if !c.Yes {
			_, err = fmt.Fprintf(s.out, "%q has %d members, %d spaces and %d sites. Nothing was deleted.\n"+
				"To keep its content, run octavo export for each space, or octavo backup for everything; then give --yes.\n", o.Org.Title, o.Members, o.Spaces, o.Sites)
			return err
		}
		if err := sv.Orgs.DeleteByOperator(ctx, o.Org.ID); err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s is deleted; octavo org restore brings it back within 7 days\n", o.Org.ID)
		return err
	})
}

type orgRestoreCmd struct {
	storeFlags
	ID string `arg:"" help:"Id of the organization."`
}

func (c *orgRestoreCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv server.Services) error {
		o, err := sv.Orgs.RestoreByOperator(ctx, docs.OrgID(c.ID))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s is restored\n", o.ID)
		return err
	})
}

type userDeleteCmd struct {
	storeFlags
	User string `arg:"" help:"Address or id of the account."`
}

func (c *userDeleteCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv server.Services) error {
		id, err := sv.Orgs.DeleteUser(ctx, c.User)
		if err != nil {
			return err
		}
		work := jobs.New(sv.Store, slog.New(slog.DiscardHandler))
		work.Handle(orgs.EraseJob, sv.Orgs.Erase)
		if _, err := work.RunOnly(ctx, orgs.EraseJob, string(id)); err != nil { // not run: a server has begun it
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s is deleted; what they wrote stays\n", id)
		return err
	})
}
