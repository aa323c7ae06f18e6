package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/gitsync"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

type gitCmd struct {
	Pull gitPullCmd `cmd:"" help:"Import a branch of a git repository into a space."`
	Push gitPushCmd `cmd:"" help:"Export a space to a branch of a git repository."`
}

// passwordVariable is the environment variable with the password or token. There is no
// flag for it, because all users of the machine can see the arguments of a process.
const passwordVariable = "OCTAVO_GIT_PASSWORD"

// gitFlags are the flags of both directions.
type gitFlags struct {
	storeFlags
	addressFlag
	Space         string `help:"Id of the space." required:""`
	URL           string `help:"Address of the repository, https://host/path or git@host:path." name:"url" required:""`
	Ref           string `help:"Branch, such as main or refs/heads/main." default:"main"`
	Directory     string `help:"Folder of the documentation in the repository." name:"dir" placeholder:"DIR"`
	Force         bool   `help:"Import although nothing is new, the branch was replaced or the repository is empty; export over what the branch has."`
	Username      string `help:"Name of the user whose password or token is in the variable OCTAVO_GIT_PASSWORD; 'git' where only a token is asked for." env:"OCTAVO_GIT_USERNAME"`
	Key           string `help:"File with a private key for ssh." type:"existingfile" env:"OCTAVO_GIT_KEY" placeholder:"FILE"`
	KnownHosts    string `help:"File with the keys of ssh servers; without it the first key that a server shows is kept." type:"existingfile" env:"OCTAVO_GIT_KNOWN_HOSTS" placeholder:"FILE"`
	OutboundAllow string `help:"Private addresses that may be called: comma-separated CIDRs or host names." name:"outbound-allow" env:"OCTAVO_OUTBOUND_ALLOW" placeholder:"LIST"`
	Quiet         bool   `help:"Print nothing but mistakes."`
}

type gitPullCmd struct {
	gitFlags
	Standalone bool `help:"Make a revision and leave the space as it is."`
}

type gitPushCmd struct {
	gitFlags
	Message string `help:"Commit message; {change_request_number}, {change_request_subject}, {author_name}, {space_title} and {revision} are filled in." default:"${git_message}" short:"m"`
}

// Run imports the branch.
func (c *gitPullCmd) Run(ctx context.Context, s streams) error {
	return c.sync(ctx, s, func(sv *gitsync.Service, g *authz.Grant, in gitsync.Input) (docs.GitOperation, error) {
		return sv.Import(ctx, g, gitsync.ImportInput{Input: in, Standalone: c.Standalone})
	})
}

// Run exports the space.
func (c *gitPushCmd) Run(ctx context.Context, s streams) error {
	return c.sync(ctx, s, func(sv *gitsync.Service, g *authz.Grant, in gitsync.Input) (docs.GitOperation, error) {
		return sv.Export(ctx, g, gitsync.ExportInput{Input: in, Message: c.Message})
	})
}

// input converts the flags to the input of an operation.
func (c *gitFlags) input() (gitsync.Input, error) {
	in := gitsync.Input{URL: c.URL, Ref: c.Ref, Directory: c.Directory, Force: c.Force, Operator: true}
	if _, secret, err := git.ParseURL(c.URL); err == nil && (secret.Password != "" || secret.Username != "") {
		return in, errors.New("--url has a user name or a password in it, which everybody on this machine can see; give --username, and the password as " + passwordVariable + " in the environment")
	}
	in.Credentials = git.Credentials{Username: c.Username, Password: os.Getenv(passwordVariable)}
	for file, to := range map[string]*[]byte{c.Key: &in.Credentials.PrivateKey, c.KnownHosts: &in.Credentials.KnownHosts} {
		if file == "" {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return in, err
		}
		*to = b
	}
	return in, nil
}

// sync queues an operation as the API does, and runs it in this process unless a server
// runs it first. In both cases it runs only once. If this command is interrupted, a
// server continues the operation.
func (c *gitFlags) sync(ctx context.Context, s streams, ask func(*gitsync.Service, *authz.Grant, gitsync.Input) (docs.GitOperation, error)) (err error) {
	base, err := c.address(c.storeFlags)
	if err := errors.Join(c.exists(), err); err != nil {
		return err
	}
	in, err := c.input()
	if err != nil {
		return err
	}
	allowed, err := outbound.Parse(c.OutboundAllow)
	if err != nil {
		return fmt.Errorf("--outbound-allow: %w", err)
	}
	log := newLog(s.err, "error", "text")
	sv, err := c.openWithFiles(ctx, services.Settings{BaseURL: base, GitCache: server.GitPath(c.Data), Outbound: allowed, Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sv.Store.Close()) }()
	sp, err := findSpace(ctx, sv, c.Space)
	if err != nil {
		return err
	}
	g := authz.OperatorGrant(sp.CreatedBy)
	g.Space = sp
	o, err := ask(sv.Git, g, in)
	if err != nil {
		return byFlag(err)
	}
	worker := jobs.New(sv.Store, log)
	worker.Handle(gitsync.OperationJob, sv.Git.Run)
	watch := &watcher{s: s, quiet: c.Quiet}
	work, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for work.Err() == nil {
			if _, err := worker.RunOnly(work, gitsync.OperationJob, string(o.ID)); err != nil && work.Err() == nil {
				log.Error("the queue cannot be read", "error", err)
			}
			sleep(work, 200*time.Millisecond)
		}
	}()
	defer func() { stop(); <-done }()
	for !o.Ended() {
		sleep(ctx, 100*time.Millisecond)
		if ctx.Err() != nil {
			return fmt.Errorf("ended before the operation was; a server goes on with it, see operation %s", o.ID)
		}
		if o, err = sv.Store.GitOperation(ctx, o.Space, o.ID); err != nil {
			return err
		}
		first, _, err := sv.Store.FirstGitOperation(ctx, o.Space)
		if err != nil {
			return err
		}
		watch.tell(o, first)
	}
	return watch.end(o)
}

// byFlag replaces the name of an API field in an error with the name of the flag.
func byFlag(err error) error {
	var e *errs.Error
	if !errors.As(err, &e) || len(e.Details) == 0 {
		return err
	}
	d := e.Details[0]
	flag, ok := map[string]string{
		"url": "--url", "ref": "--ref", "repoProjectDirectory": "--dir", "commitMessage": "--message",
	}[d.Path]
	if !ok {
		return err
	}
	return fmt.Errorf("%s %s", flag, d.Message)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// watcher prints the progress of an operation.
type watcher struct {
	s       streams
	quiet   bool
	printed string
}

// tell prints what o does. first is the oldest operation of the space that has not ended;
// o waits for it if it is another one.
func (w *watcher) tell(o, first docs.GitOperation) {
	line := string(o.Stage)
	switch {
	case o.State != docs.GitQueued:
	case o.Error != "":
		line = o.Error
	case first.ID != "" && first.ID != o.ID && first.Error != "":
		line = fmt.Sprintf("waiting for the %s of %s: %s", first.Direction, first.Remote.URL, first.Error)
	case first.ID != "" && first.ID != o.ID:
		line = fmt.Sprintf("waiting for the %s of %s", first.Direction, first.Remote.URL)
	}
	if line != "" && line != w.printed && !w.quiet {
		fmt.Fprintf(w.s.err, "%s …\n", line)
	}
	w.printed = line
}

// end prints the result of an operation. It returns an error also if a person has to
// decide about a change request.
func (w *watcher) end(o docs.GitOperation) error {
	for _, p := range o.Problems {
		where := p.File
		if p.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, p.Line)
		}
		fmt.Fprintf(w.s.err, "%s: %s (%s)\n", where, p.Message, p.Code)
	}
	if more := o.ProblemCount - len(o.Problems); more > 0 {
		fmt.Fprintf(w.s.err, "and %d more\n", more)
	}
	switch {
	case o.State == docs.GitFailure:
		return fmt.Errorf("%s (%s)", o.Error, o.Reason)
	case o.ChangeRequest != "":
		fmt.Fprintln(w.s.err, "octavo:", o.Error)
		return exitError(3)
	case w.quiet:
		return nil
	}
	what := map[docs.GitDirection]string{docs.GitImport: "imported", docs.GitExport: "exported"}[o.Direction]
	if o.Reason != "" {
		_, err := fmt.Fprintf(w.s.out, "nothing was %s: %s\n", what, o.Reason)
		return err
	}
	_, err := fmt.Fprintf(w.s.out, "%s commit %s, revision %s\n", what, o.Commit, o.Revision)
	return err
}
