package main

import (
	"context"
	"fmt"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/services"
)

type orgCmd struct {
	List    orgListCmd    `cmd:"" help:"List organizations."`
	Show    orgShowCmd    `cmd:"" help:"Show an organization and who administers it."`
	Delete  orgDeleteCmd  `cmd:"" help:"Put an organization out of reach; it is purged after 7 days."`
	Restore orgRestoreCmd `cmd:"" help:"Bring back an organization that was deleted less than 7 days ago."`
	Quota   orgQuotaCmd   `cmd:"" help:"Show what an organization uses, and change how much it may use."`
}

// orgLine is an organization in the output of the commands.
type orgLine struct {
	ID        docs.OrgID `json:"id"`
	Title     string     `json:"title"`
	Members   int64      `json:"members"`
	Spaces    int64      `json:"spaces"`
	Sites     int64      `json:"sites"`
	DeletedAt docs.Time  `json:"deletedAt,omitzero"`
}

func (o orgLine) String() string {
	state := ""
	if !o.DeletedAt.IsZero() {
		state = "deleted " + o.DeletedAt.String()
	}
	return fmt.Sprintf("%s\t%q\t%d members\t%d spaces\t%d sites\t%s", o.ID, o.Title, o.Members, o.Spaces, o.Sites, state)
}

type orgListCmd struct {
	storeFlags
	listFlags
	Deleted bool `help:"Only those that are deleted."`
}

func (c *orgListCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		p, err := c.page()
		if err != nil {
			return err
		}
		list, _, err := sv.Store.AnyOrganizations(ctx, c.Deleted, p)
		if err != nil {
			return err
		}
		lines := make([]orgLine, len(list))
		for i, o := range list {
			lines[i] = orgLine{o.Org.ID, o.Org.Title, o.Members, o.Spaces, o.Sites, o.DeletedAt}
		}
		return printLines(s, c.JSON, lines)
	})
}

type orgShowCmd struct {
	storeFlags
	ID   string `arg:"" help:"Id of the organization."`
	JSON bool   `help:"Print a line of JSON." name:"json"`
}

// orgShown is an organization with its administrators, at most 100.
type orgShown struct {
	orgLine
	Admins []docs.Email `json:"admins"`
}

func (o orgShown) String() string {
	out := o.orgLine.String()
	for _, a := range o.Admins {
		out += "\nadmin\t" + string(a)
	}
	return out
}

func (c *orgShowCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		o, err := sv.Store.AnyOrganization(ctx, docs.OrgID(c.ID))
		if err != nil {
			return err
		}
		admin := docs.Admin
		people, _, err := sv.Store.Members(ctx, o.Org.ID, store.MemberFilter{Role: &admin}, store.Page{Limit: 100})
		if err != nil {
			return err
		}
		out := orgShown{orgLine{o.Org.ID, o.Org.Title, o.Members, o.Spaces, o.Sites, o.DeletedAt}, []docs.Email{}}
		for _, m := range people {
			out.Admins = append(out.Admins, m.User.Email)
		}
		return printLines(s, c.JSON, []orgShown{out})
	})
}

type orgDeleteCmd struct {
	storeFlags
	ID  string `arg:"" help:"Id of the organization."`
	Yes bool   `help:"Delete it. Without this, the command says what would be deleted, and how to export it first."`
}

func (c *orgDeleteCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		o, err := sv.Store.AnyOrganization(ctx, docs.OrgID(c.ID))
		if err != nil {
			return err
		}
		if !c.Yes {
			_, err = fmt.Fprintf(s.out, "%q has %d members, %d spaces and %d sites. Nothing was deleted.\n"+
				"To keep its content, run octavo export for each space, or octavo backup for everything; then give --yes.\n", o.Org.Title, o.Members, o.Spaces, o.Sites)
			return err
		}
		if err := sv.Orgs.Operator.DeleteOrganization(ctx, o.Org.ID); err != nil {
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
	return c.with(ctx, func(sv *services.Services) error {
		o, err := sv.Orgs.Operator.RestoreOrganization(ctx, docs.OrgID(c.ID))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s is restored\n", o.ID)
		return err
	})
}
