package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"text/tabwriter"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// listFlags are the flags of commands that list objects of the store.
type listFlags struct {
	Limit int    `help:"How many at most, 1 to 1000." default:"100"`
	After string `help:"Only those behind this id, which is the last one that was printed before." placeholder:"ID"`
	JSON  bool   `help:"Print a line of JSON for each." name:"json"`
}

func (f listFlags) page() (store.Page, error) {
	if f.Limit < 1 || f.Limit > 1000 {
		return store.Page{}, errors.New("--limit is 1 to 1000")
	}
	return store.Page{After: store.Key{f.After}, Limit: f.Limit}, nil
}

// printLines prints one line for each item of a list: tab-separated columns, or JSON.
func printLines[T fmt.Stringer](s streams, asJSON bool, list []T) error {
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, it := range list {
		var err error
		if asJSON {
			err = json.NewEncoder(s.out).Encode(it)
		} else {
			_, err = fmt.Fprintln(w, it)
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

type userCmd struct {
	List      userListCmd   `cmd:"" help:"List the accounts of people."`
	Create    userCreateCmd `cmd:"" help:"Make an account without an organization. Its address counts as verified."`
	Show      userShowCmd   `cmd:"" help:"Show an account and the organizations that it belongs to."`
	Delete    userDeleteCmd `cmd:"" help:"Delete the account of a person. What they wrote stays, without their name."`
	LoginLink loginLinkCmd  `cmd:"" name:"login-link" help:"Print a link with which somebody signs in, once, within 15 minutes."`
}

// userLine is an account in the output of the commands.
type userLine struct {
	ID        docs.UserID `json:"id"`
	Email     docs.Email  `json:"email"`
	Verified  bool        `json:"verified"`
	Name      string      `json:"name"`
	CreatedAt docs.Time   `json:"createdAt"`
}

func lineOf(u docs.User) userLine {
	return userLine{u.ID, u.Email, u.Verified, u.DisplayName, u.CreatedAt}
}

func (u userLine) String() string {
	proof := "not verified"
	if u.Verified {
		proof = "verified"
	}
	return fmt.Sprintf("%s\t%s\t%s\t%q\t%s", u.ID, u.Email, proof, u.Name, u.CreatedAt)
}

type userListCmd struct {
	storeFlags
	listFlags
	Search string `help:"Only those whose name or address contains this." placeholder:"TEXT"`
}

func (c *userListCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		p, err := c.page()
		if err != nil {
			return err
		}
		list, _, err := sv.Store.People(ctx, c.Search, p)
		if err != nil {
			return err
		}
		lines := make([]userLine, len(list))
		for i, u := range list {
			lines[i] = lineOf(u)
		}
		return printLines(s, c.JSON, lines)
	})
}

type userShowCmd struct {
	storeFlags
	User string `arg:"" help:"Address or id of the account."`
	JSON bool   `help:"Print a line of JSON." name:"json"`
}

// userShown is an account with its organizations, and the number of its tokens and
// sessions.
type userShown struct {
	userLine
	Organizations []userOrg `json:"organizations"`
	Tokens        int64     `json:"tokens"`
	Sessions      int64     `json:"sessions"`
}

type userOrg struct {
	ID       docs.OrgID `json:"id"`
	Title    string     `json:"title"`
	Role     docs.Role  `json:"role"`
	Disabled bool       `json:"disabled"`
}

func (u userShown) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%d tokens, %d sessions", u.userLine, u.Tokens, u.Sessions)
	for _, o := range u.Organizations {
		role := string(o.Role)
		if role == "" {
			role = "guest"
		}
		if o.Disabled {
			role += ", disabled"
		}
		fmt.Fprintf(&b, "\n%s\t%q\t%s", o.ID, o.Title, role)
	}
	return b.String()
}

func (c *userShowCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		u, err := findUser(ctx, sv, c.User)
		if err != nil {
			return err
		}
		return printLines(s, c.JSON, []userShown{u})
	})
}

// findUser returns the account with an address or an id.
func findUser(ctx context.Context, sv *services.Services, name string) (userShown, error) {
	u, err := sv.Orgs.Operator.FindUser(ctx, name)
	if err != nil {
		return userShown{}, err
	}
	of, err := sv.Store.Memberships(ctx, u.ID)
	if err != nil {
		return userShown{}, err
	}
	out := userShown{userLine: lineOf(u), Organizations: []userOrg{}}
	for _, m := range of {
		out.Organizations = append(out.Organizations, userOrg{m.Org, m.Title, m.Role, m.Disabled})
	}
	if out.Tokens, err = sv.Store.CountTokens(ctx, store.TokenFilter{User: u.ID}); err != nil {
		return out, err
	}
	out.Sessions, err = sv.Store.CountTokens(ctx, store.TokenFilter{User: u.ID, Sessions: true})
	return out, err
}

type userCreateCmd struct {
	storeFlags
	Email string `arg:"" help:"Address of the account."`
}

func (c *userCreateCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		id, err := sv.Orgs.Operator.CreateUser(ctx, c.Email)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, id)
		return err
	})
}

type userDeleteCmd struct {
	storeFlags
	User string `arg:"" help:"Address or id of the account."`
	Yes  bool   `help:"Delete it. Without this, the command says what would be deleted."`
}

func (c *userDeleteCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		if !c.Yes {
			u, err := findUser(ctx, sv, c.User)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.out, "%s\nNothing was deleted. The account is deleted for good with --yes; what they wrote stays, without their name.\n", u)
			return err
		}
		id, err := sv.Orgs.Operator.DeleteUser(ctx, c.User)
		if err != nil {
			return err
		}
		work := jobs.New(sv.Store, slog.New(slog.DiscardHandler))
		work.Handle(orgs.EraseJob, sv.Orgs.Accounts.Erase)
		if _, err := work.RunOnly(ctx, orgs.EraseJob, string(id)); err != nil { // if it does not run here, a server already runs the job
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s is deleted; what they wrote stays\n", id)
		return err
	})
}

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token and print it."`
	List   tokenListCmd   `cmd:"" help:"List the tokens of an account, without their secrets."`
	Revoke tokenRevokeCmd `cmd:"" help:"Revoke a token, effective immediately."`
}

// tokenLine is a token in the output of the commands.
type tokenLine struct {
	ID          docs.TokenID `json:"id"`
	Label       string       `json:"label"`
	Scopes      docs.Scopes  `json:"scopes"`
	Org         docs.OrgID   `json:"organization,omitempty"`
	CreatedAt   docs.Time    `json:"createdAt"`
	ExpiresAt   docs.Time    `json:"expiresAt,omitzero"`
	LastUsedAt  docs.Time    `json:"lastUsedAt,omitzero"`
	LastAddress string       `json:"lastAddress,omitempty"`
}

func (t tokenLine) String() string {
	used := "never used"
	if !t.LastUsedAt.IsZero() {
		used = "used " + t.LastUsedAt.String() + " from " + t.LastAddress
	}
	ends := "does not expire"
	if !t.ExpiresAt.IsZero() {
		ends = "expires " + t.ExpiresAt.String()
	}
	rights := "all rights"
	if len(t.Scopes) > 0 {
		rights = fmt.Sprint(t.Scopes)
	}
	return fmt.Sprintf("%s\t%q\t%s\t%s\t%s", t.ID, t.Label, rights, ends, used)
}

type tokenListCmd struct {
	storeFlags
	listFlags
	User string `arg:"" help:"Address or id of the account; service accounts have ids."`
}

func (c *tokenListCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		p, err := c.page()
		if err != nil {
			return err
		}
		u, err := sv.Orgs.Operator.FindUser(ctx, c.User)
		if err != nil {
			return err
		}
		list, _, err := sv.Store.Tokens(ctx, store.TokenFilter{User: u.ID}, p)
		if err != nil {
			return err
		}
		lines := make([]tokenLine, len(list))
		for i, t := range list {
			lines[i] = tokenLine{t.ID, t.Label, t.Scopes, t.Org, t.CreatedAt, t.ExpiresAt, t.LastUsedAt, t.LastAddress}
		}
		return printLines(s, c.JSON, lines)
	})
}

type tokenRevokeCmd struct {
	storeFlags
	User string `arg:"" help:"Address or id of the account; service accounts have ids."`
	ID   string `arg:"" help:"Id of the token, as octavo token list prints it."`
}

func (c *tokenRevokeCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		u, err := sv.Orgs.Operator.FindUser(ctx, c.User)
		if err != nil {
			return err
		}
		if err := sv.Orgs.Operator.RevokeToken(ctx, u.ID, docs.TokenID(c.ID)); err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s is revoked\n", c.ID)
		return err
	})
}
