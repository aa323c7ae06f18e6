// Command octavo is a documentation service in a single binary. It contains the server
// and the commands to operate it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/content/gitsync"
	"github.com/octavo-docs/octavo/internal/site/certs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/owner"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// version and build are set by the linker.
var (
	version = "0.1.0-dev"
	build   = "unknown"
)

// cli holds all commands and their flags. Settings of the server can also be set with
// OCTAVO_… environment variables, and all flags in a YAML file.
type cli struct {
	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
	Config      kong.ConfigFlag  `help:"YAML file with flags, such as 'listen: 0.0.0.0:8080'." env:"OCTAVO_CONFIG" placeholder:"FILE"`

	Serve         serveCmd         `cmd:"" help:"Serve the API."`
	Bootstrap     bootstrapCmd     `cmd:"" help:"Make a user and an organization, and print a token as JSON."`
	Token         tokenCmd         `cmd:"" help:"Make tokens."`
	User          userCmd          `cmd:"" help:"Help people to sign in, and delete accounts."`
	Org           orgCmd           `cmd:"" help:"List, delete and restore organizations."`
	Audit         auditCmd         `cmd:"" help:"Print who did what, newest first, as JSON lines."`
	Migrate       migrateCmd       `cmd:"" help:"Update the database schema without serving."`
	Import        importCmd        `cmd:"" help:"Make a folder or a zip of Markdown the content of a space."`
	Export        exportCmd        `cmd:"" help:"Write the content of a space as a folder of Markdown."`
	EPUB          epubCmd          `cmd:"" name:"epub" help:"Write a space or a site as a book."`
	Git           gitCmd           `cmd:"" help:"Synchronize a space with a git repository."`
	Site          siteCmd          `cmd:"" help:"Describe a site in a file, and make the site of a server what the file says."`
	OpenAPI       openapiCmd       `cmd:"" name:"openapi" help:"Publish OpenAPI specifications, for continuous integration."`
	Translation   translationCmd   `cmd:"" help:"Exchange the memory of translations with translators."`
	Conversations conversationsCmd `cmd:"" help:"Import conversations with users."`
	Check         checkCmd         `cmd:"" help:"Look for broken links and other mistakes in a folder or a space."`
	Backup        backupCmd        `cmd:"" help:"Write everything into one file, while serving."`
	Restore       restoreCmd       `cmd:"" help:"Read a backup into an empty store."`
	Pause         pauseCmd         `cmd:"" help:"Pause what goes out by itself: git connections, webhooks, mails and translations."`
	Resume        resumeCmd        `cmd:"" help:"Go on with what pause, or restore, has paused."`
	Files         filesCmd         `cmd:"" help:"Say where the contents of files are."`
	Doctor        doctorCmd        `cmd:"" help:"Look for what is wrong with this installation."`
	Version       versionCmd       `cmd:"" help:"Print the version."`
}

// storeFlags specify where the data is stored.
type storeFlags struct {
	Data     string `help:"Data folder; ./data without it." default:"./data" env:"OCTAVO_DATA" placeholder:"DIR"`
	Database string `help:"PostgreSQL address, postgres://…; SQLite in the data folder without it." env:"OCTAVO_DATABASE" placeholder:"URL"`

	S3Endpoint  string `help:"Keep files in an S3-compatible service at this host instead of the data folder." name:"s3-endpoint" env:"OCTAVO_S3_ENDPOINT" placeholder:"HOST"`
	S3Bucket    string `help:"Bucket of the files." name:"s3-bucket" env:"OCTAVO_S3_BUCKET"`
	S3Region    string `help:"Region of the bucket." name:"s3-region" env:"OCTAVO_S3_REGION"`
	S3AccessKey string `help:"Access key." name:"s3-access-key" env:"OCTAVO_S3_ACCESS_KEY"`
	S3SecretKey string `help:"Secret key; better given in the environment." name:"s3-secret-key" env:"OCTAVO_S3_SECRET_KEY"`
	S3Prefix    string `help:"Folder in the bucket." name:"s3-prefix" env:"OCTAVO_S3_PREFIX"`
	S3PathStyle bool   `help:"Name the bucket in the path and not in the host." name:"s3-path-style" env:"OCTAVO_S3_PATH_STYLE"`
	S3Insecure  bool   `help:"Use http instead of https." name:"s3-insecure" env:"OCTAVO_S3_INSECURE"`
}

// files returns the configuration of the file storage.
func (f storeFlags) files() server.Files {
	return server.Files{Folder: server.FilesPath(f.Data), S3: blob.S3{
		Endpoint: f.S3Endpoint, Bucket: f.S3Bucket, Region: f.S3Region, AccessKey: f.S3AccessKey, SecretKey: f.S3SecretKey,
		Prefix: f.S3Prefix, PathStyle: f.S3PathStyle, Secure: !f.S3Insecure,
	}}
}

// options returns the options of the store. From then on, a command of root works as the
// owner of the data. Files that root alone may read have to be opened before.
func (f storeFlags) options() (store.Options, error) {
	if err := f.becomeOwner(); err != nil {
		return store.Options{}, err
	}
	return server.DataPath(f.Data, f.Database)
}

// becomeOwner makes a process of root one of the user to whom the data belongs, so that
// the server can read what a command writes. Where there is no data yet, that is the owner
// of the data folder.
func (f storeFlags) becomeOwner() error {
	u, ok := f.owner()
	if !ok || !owner.IsRoot() || u.UID == 0 {
		return nil
	}
	if err := owner.Become(u); err != nil {
		return err
	}
	became = u
	return nil
}

// became is the user that this process of root has become, if it has.
var became owner.User

// owner returns the user to whom the data belongs.
func (f storeFlags) owner() (owner.User, bool) {
	return owner.Of(f.Data, server.DatabasePath(f.Data), server.FilesPath(f.Data))
}

// open opens the store and makes the services, for commands that use no files: they work
// without the flags of a bucket, and where the files are not mounted. The caller must close
// the store.
func (f storeFlags) open(ctx context.Context, c services.Settings) (*services.Services, error) {
	st, err := f.openStore(ctx)
	if err != nil {
		return nil, err
	}
	return made(st, nil, c)
}

// openWithFiles is open for commands that use files.
func (f storeFlags) openWithFiles(ctx context.Context, c services.Settings) (*services.Services, error) {
	st, err := f.openStore(ctx)
	if err != nil {
		return nil, err
	}
	files, err := f.files().OpenFor(ctx, st)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return made(st, files, c)
}

// made returns the services over a store, which is closed if they cannot be made.
func made(st *store.Store, files blob.Store, c services.Settings) (*services.Services, error) {
	sv, err := services.New(st, files, c)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return sv, nil
}

func (f storeFlags) openStore(ctx context.Context) (*store.Store, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, o)
}

// errNoData is returned if there is no database yet.
var errNoData = errors.New("there is no database yet")

// exists returns errNoData if there is no database. Without this check, a wrong --data
// would create a new one.
func (f storeFlags) exists() error {
	if _, err := os.Stat(server.DatabasePath(f.Data)); f.Database == "" && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w in %s; --data names another folder, octavo bootstrap makes one", errNoData, f.Data)
	}
	return nil
}

// with opens an existing database and calls fn with the services.
func (f storeFlags) with(ctx context.Context, fn func(*services.Services) error) (err error) {
	if err := f.exists(); err != nil {
		return err
	}
	sv, err := f.open(ctx, services.Settings{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sv.Store.Close()) }()
	return fn(sv)
}

// attach opens an existing store without migrating it, for reading.
func (f storeFlags) attach(ctx context.Context) (*store.Store, error) {
	if err := f.exists(); err != nil {
		return nil, err
	}
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	return store.Attach(ctx, o)
}

// streams are the output streams of a command. Tests replace them.
type streams struct{ out, err io.Writer }

// exitError ends the program with an exit code. The command has already printed the
// reason.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

func main() {
	os.Exit(run(os.Args[1:], streams{os.Stdout, os.Stderr}))
}

// defaults are the defaults of flags that other packages define.
var defaults = kong.Vars{"git_message": gitsync.DefaultMessage, "acme": certs.LetsEncrypt, "version": versionText()}

// run runs the program and returns its exit code.
func run(args []string, s streams) int {
	unsetEmpty()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var c cli
	exited := -1
	parser, err := kong.New(&c,
		kong.Name("octavo"),
		kong.Description("Documentation management in one binary."),
		kong.UsageOnError(),
		kong.Writers(s.out, s.err),
		kong.Exit(func(code int) { exited = code }),
		kong.Configuration(yamlFlags),
		defaults,
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(s),
	)
	if err != nil {
		fmt.Fprintln(s.err, "octavo:", err)
		return 1
	}
	if len(args) > 0 && args[0] == "help" { // octavo help serve
		args = append(args[1:], "--help")
	}
	unknown := unknownVariables(parser.Model, os.Environ())
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		fmt.Fprintf(s.err, "octavo: %v\nTry octavo --help.\n", err)
		return 2
	}
	if warn := newLog(s.err, "warn", c.Serve.LogFormat); parsed.Selected().Name == "serve" {
		for _, text := range unknown {
			warn.Warn(text)
		}
	} else if len(unknown) > 0 {
		fmt.Fprintln(s.err, "octavo: warning:", strings.Join(unknown, "\noctavo: warning: "))
	}
	err = parsed.Run()
	var code exitError
	switch {
	case errors.As(err, &code):
		return int(code)
	case err != nil:
		if next, ok := nextSteps[err.Error()]; ok {
			err = fmt.Errorf("%w; %s", err, next)
		}
		if became.UID != 0 && errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w; the command runs as %s, to whom the data belongs, and not as root: what it reads and writes elsewhere must be open to %s", err, became, became)
		}
		fmt.Fprintln(s.err, "octavo:", err)
		return 1
	}
	return 0
}

// nextSteps are hints for errors of the store: the command that lists the valid names.
var nextSteps = map[string]string{
	"user not found":         "octavo user list lists the accounts",
	"organization not found": "octavo org list lists the organizations",
	"token not found":        "octavo token list lists the tokens of an account",
}

func newLog(w io.Writer, level, format string) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(level)) // the flag allows only valid levels
	o := &slog.HandlerOptions{Level: l}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
