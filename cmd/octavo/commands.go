package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
	"github.com/octavo-docs/octavo/internal/web/services"
)

type bootstrapCmd struct {
	storeFlags
	Email        string `help:"Address of the admin; it counts as verified." required:"" env:"OCTAVO_EMAIL"`
	Organization string `help:"Title of the organization." required:"" env:"OCTAVO_ORGANIZATION"`
}

func (c *bootstrapCmd) Run(ctx context.Context, s streams) (err error) {
	title := strings.TrimSpace(c.Organization)
	if n := len([]rune(title)); n < 2 || n > 255 {
		return errors.New("the title of an organization has 2 to 255 characters")
	}
	sv, err := c.open(ctx, services.Settings{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sv.Store.Close()) }()
	b, err := sv.Orgs.Operator.Bootstrap(ctx, c.Email, title, "bootstrap")
	if err != nil {
		return err
	}
	return json.NewEncoder(s.out).Encode(b)
}

type tokenCreateCmd struct {
	storeFlags
	Email  string   `help:"Address of the account whose token it is; the address counts as verified." required:""`
	Label  string   `help:"What the token is for." default:"command line"`
	Scopes []string `help:"read, write, admin; all rights of the user without it." enum:"read,write,admin"`
}

func (c *tokenCreateCmd) Run(ctx context.Context, s streams) error {
	if n := len([]rune(c.Label)); n < 1 || n > 50 {
		return errors.New("a label has 1 to 50 characters")
	}
	in := orgs.NewToken{Label: c.Label}
	for _, scope := range c.Scopes {
		in.Scopes = append(in.Scopes, docs.Scope(scope))
	}
	return c.with(ctx, func(sv *services.Services) error {
		secret, err := sv.Orgs.Operator.CreateToken(ctx, c.Email, in)
		if errs.Is(err, errs.NotFound) {
			return fmt.Errorf("there is no account with the address %s; octavo user create makes one, octavo bootstrap one with an organization", c.Email)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, secret)
		return err
	})
}

type loginLinkCmd struct {
	storeFlags
	addressFlag
	Email string `help:"Address of the account." required:""`
}

func (c *loginLinkCmd) Run(ctx context.Context, s streams) (err error) {
	base, err := c.address(c.storeFlags)
	if err := errors.Join(c.exists(), err); err != nil {
		return err
	}
	sv, err := c.open(ctx, services.Settings{BaseURL: base})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sv.Store.Close()) }()
	link, err := sv.SignIn.LinkFor(ctx, c.Email)
	if err != nil {
		return err
	}
	if _, known := c.knownAddress(c.storeFlags); !known {
		fmt.Fprintf(s.err, "octavo: no server has run with the data folder %s, so the address %s is a guess; --base-url or OCTAVO_BASE_URL sets it\n", c.Data, base)
	}
	_, err = fmt.Fprintln(s.out, link)
	return err
}

type migrateCmd struct{ storeFlags }

func (c *migrateCmd) Run(ctx context.Context, s streams) (err error) {
	sv, err := c.open(ctx, services.Settings{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sv.Store.Close()) }()
	v, err := sv.Store.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "the database is at schema %d\n", v)
	return err
}

type versionCmd struct{}

func (versionCmd) Run(s streams) error {
	_, err := fmt.Fprintln(s.out, versionText())
	return err
}

func versionText() string { return fmt.Sprintf("octavo %s (built %s)", version, build) }

// maxConfig is the maximum size of the configuration file in bytes.
const maxConfig = 1 << 20

// yamlFlags reads the values of flags from a YAML file. The keys are flag names.
func yamlFlags(r io.Reader) (kong.Resolver, error) {
	src, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("the configuration file: %w", err)
	}
	values := yamlFile{}
	root, err := yamldoc.Parse(src, maxConfig)
	if err == nil {
		err = root.Decode(&values)
	}
	if err != nil {
		return nil, fmt.Errorf("the configuration file: %w", err)
	}
	return values, nil
}

type yamlFile map[string]any

// Validate returns an error for keys that are not flags of any command. A typing mistake
// must not start a server with unintended settings.
func (y yamlFile) Validate(app *kong.Application) error {
	known := map[string]bool{}
	eachFlag(app.Node, func(f *kong.Flag) { known[f.Name] = true })
	for _, key := range slices.Sorted(maps.Keys(y)) {
		if !known[key] {
			return fmt.Errorf("the configuration file has the unknown key %q; keys are flag names, such as \"listen\" or \"base-url\"%s", key, meant(key, known))
		}
	}
	return nil
}

// Resolve returns the value of a flag, or nil. kong calls it for every flag that is not
// on the command line. The environment takes precedence over the file.
func (y yamlFile) Resolve(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
	for _, name := range f.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil //nolint:nilnil // kong's way of saying "not here"
		}
	}
	return y[f.Name], nil
}
