package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/preview"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

type serveCmd struct {
	storeFlags
	pdfFlag
	Listen        string `help:"Address to listen on." default:"127.0.0.1:8080" env:"OCTAVO_LISTEN"`
	BaseURL       string `help:"Public address, such as https://docs.example.com; from --listen without it." name:"base-url" env:"OCTAVO_BASE_URL" placeholder:"URL"`
	SitesDomain   string `help:"Domain of published sites, such as sites.example.com: a site with a basename has the address https://BASENAME.DOMAIN/. Without it sites are below --base-url." name:"sites-domain" env:"OCTAVO_SITES_DOMAIN" placeholder:"DOMAIN"`
	NoSiteList    bool   `help:"Do not list the public sites on the page at --base-url." name:"no-site-list" env:"OCTAVO_NO_SITE_LIST"`
	NoCreateOrgs  bool   `help:"Accounts cannot create organizations; octavo bootstrap still does." name:"no-create-organizations" env:"OCTAVO_NO_CREATE_ORGANIZATIONS"`
	Invitations   int    `help:"Invitations by mail that an organization, and that an account, can send in 24 hours; 0 is no limit." name:"invitations-per-day" default:"500" env:"OCTAVO_INVITATIONS_PER_DAY"`
	YoungInvites  int    `help:"Invitations by mail that an organization can send in 24 hours during its first week, unless octavo bootstrap made it; 0 is no limit of its own." name:"young-invitations-per-day" default:"25" env:"OCTAVO_YOUNG_INVITATIONS_PER_DAY"`
	NewOrgs       int    `help:"Organizations that an account can create in 24 hours; 0 is no limit." name:"organizations-per-day" default:"10" env:"OCTAVO_ORGANIZATIONS_PER_DAY"`
	EmailDomains  string `help:"E-mail domains whose people may join the organizations that name them, without proof: as with --site-hostnames. Others need a DNS record." name:"email-domains" env:"OCTAVO_EMAIL_DOMAINS" placeholder:"LIST"`
	SiteHostnames string `help:"Host names that sites may use without proof: comma-separated names, and patterns such as *.example.com. Others need a DNS record." name:"site-hostnames" env:"OCTAVO_SITE_HOSTNAMES" placeholder:"LIST"`
	DNSServer     string `help:"DNS server that is asked for the records of host names of sites, instead of those of the system." name:"dns-server" env:"OCTAVO_DNS_SERVER" placeholder:"HOST:PORT"`
	ACME          bool   `help:"Speak HTTPS on --listen, with certificates for the server and its sites from an ACME authority, whose terms you accept. Needs --base-url with https." name:"acme" env:"OCTAVO_ACME"`
	ACMEEmail     string `help:"With --acme: whom the authority writes to about certificates." name:"acme-email" env:"OCTAVO_ACME_EMAIL" placeholder:"ADDRESS"`
	ACMEDirectory string `help:"With --acme: address of the authority." name:"acme-directory" default:"${acme}" env:"OCTAVO_ACME_DIRECTORY" placeholder:"URL"`
	ACMEHTTP      string `help:"With --acme: listen here for plain HTTP, to answer challenges and send browsers to HTTPS, such as :80." name:"acme-http" env:"OCTAVO_ACME_HTTP" placeholder:"HOST:PORT"`
	SMTP          string `help:"Mail server for links to sign in and invitations: smtp://, smtps:// or smtp+plain://[USER:PASSWORD@]HOST[:PORT]. Without it no mail is sent." name:"smtp" env:"OCTAVO_SMTP" placeholder:"URL"`
	MailFrom      string `help:"Sender of mails, such as Docs <docs@example.com>." name:"mail-from" env:"OCTAVO_MAIL_FROM" placeholder:"ADDRESS"`
	oidcFlags
	translationFlags
	MetricsListen string           `help:"Serve /metrics on this address; it may be that of --listen. Without it there are none." env:"OCTAVO_METRICS_LISTEN" placeholder:"HOST:PORT"`
	TrustedProxy  string           `help:"Proxies in front of the server, as comma-separated addresses or CIDRs: the client that they name in X-Forwarded-For counts for the rate limit." name:"trusted-proxies" env:"OCTAVO_TRUSTED_PROXIES" placeholder:"LIST"`
	CORSOrigins   []string         `help:"Web sites whose pages may call the API, such as https://app.example.com; * for all." name:"cors-origins" env:"OCTAVO_CORS_ORIGINS" placeholder:"ORIGIN,..."`
	RateLimit     int              `help:"Requests that a token may make in a period; 0 is no limit." default:"100000" env:"OCTAVO_RATE_LIMIT"`
	RatePeriod    time.Duration    `help:"The period of the rate limit." default:"1m" env:"OCTAVO_RATE_PERIOD"`
	MemoryLimit   string           `help:"Memory that the server may use, such as 512MiB; three quarters of what there is without it." env:"OCTAVO_MEMORY_LIMIT" placeholder:"SIZE"`
	Limits        map[string]int64 `help:"What one request may use, such as words=2000000,steps=20000000: words of a search, steps of expressions, values of a body, pixels of a PDF." env:"OCTAVO_LIMITS" mapsep:"," placeholder:"NAME=N,..."`
	PictureCache  string           `help:"Disk space for pictures of sites that were made smaller for screens with fewer pixels; 0 makes none." name:"picture-cache" default:"512MiB" env:"OCTAVO_PICTURE_CACHE" placeholder:"SIZE"`
	AccessLog     bool             `help:"Log every request, not only failures." env:"OCTAVO_ACCESS_LOG"`
	LogLevel      string           `help:"debug, info, warn or error." default:"info" enum:"debug,info,warn,error" env:"OCTAVO_LOG_LEVEL"`
	LogFormat     string           `help:"text or json." default:"text" enum:"text,json" env:"OCTAVO_LOG_FORMAT"`
	Demo          bool             `help:"Fill an empty store with a demonstration organization, and print how to use it; refused where there is other data."`
	OutboundAllow string           `help:"Private addresses that the server may fetch files from: comma-separated CIDRs or host names." name:"outbound-allow" env:"OCTAVO_OUTBOUND_ALLOW" placeholder:"LIST"`
	Embeds        bool             `help:"Fetch pages of other web sites that documents embed, to show their title and icon." name:"embeds" env:"OCTAVO_EMBEDS"`
	TryIt         bool             `help:"Let readers of sites send requests to the servers that API descriptions name." name:"try-it" env:"OCTAVO_TRY_IT"`
	TryItAllow    string           `help:"Private addresses that such requests may go to: comma-separated CIDRs or host names." name:"try-it-allow" env:"OCTAVO_TRY_IT_ALLOW" placeholder:"LIST"`
	Preview       string           `help:"Serve this folder of Markdown as a site instead, and load pages again when files change. Of the other flags, --ref, --listen and those of the log apply." placeholder:"DIR"`
	Ref           string           `help:"With --preview: show a branch, a tag or a commit of the folder's git repository instead of the files." placeholder:"REF"`
	MaxConns      int              `help:"Database connections at most; 0 takes a default." default:"0" env:"OCTAVO_MAX_CONNS"`
}

func (c *serveCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Preview != "" {
		return c.preview(ctx, s)
	}
	limit, err := c.tune(ctx)
	if err != nil {
		return err
	}
	uses, err := budget.ParseLimits(c.Limits)
	if err != nil {
		return fmt.Errorf("--limits: %w", err)
	}
	allowed, err := outbound.Parse(c.OutboundAllow)
	if err != nil {
		return fmt.Errorf("--outbound-allow: %w", err)
	}
	domains, err := sites.ParseTrusted(c.EmailDomains)
	if err != nil {
		return fmt.Errorf("--email-domains: %w", err)
	}
	hostnames, err := sites.ParseTrusted(c.SiteHostnames)
	if err != nil {
		return fmt.Errorf("--site-hostnames: %w", err)
	}
	proxies, err := server.ParseProxies(c.TrustedProxy)
	if err != nil {
		return fmt.Errorf("--trusted-proxies: %w", err)
	}
	pictures, err := parseBytes(c.PictureCache)
	if err != nil {
		return fmt.Errorf("--picture-cache: %w", err)
	}
	fonts, err := c.fonts()
	if err != nil {
		return err
	}
	sender, err := c.mail(s.out)
	if err != nil {
		return err
	}
	provider, err := c.provider()
	if err != nil {
		return err
	}
	engine, err := c.translation()
	if err != nil {
		return err
	}
	tryIt, err := c.tryIt()
	if err != nil {
		return err
	}
	o, err := c.options() // after files with secrets were read: root may read what the owner of the data may not
	if err != nil {
		return err
	}
	o.MaxConns = c.MaxConns
	log := newLog(s.err, c.LogLevel, c.LogFormat)
	var authority server.ACME
	if c.ACME {
		authority = server.ACME{Directory: c.ACMEDirectory, Email: c.ACMEEmail, HTTPListen: c.ACMEHTTP}
	}
	config := server.Config{
		Settings: services.Settings{
			BaseURL: c.BaseURL, SitesDomain: strings.ToLower(c.SitesDomain), SiteHostnames: hostnames, EmailDomains: domains, DNS: c.DNSServer,
			OrganizationsClosed: c.NoCreateOrgs, People: c.limits(), Mail: sender, Provider: provider, Outbound: allowed, Translation: engine,
			Fonts: fonts, GitCache: server.GitPath(c.Data), Log: log,
		},
		Listen: c.Listen, MetricsListen: c.MetricsListen, NoSiteList: c.NoSiteList, ACME: authority, Database: o, Files: c.files(),
		Embeds: c.Embeds, TryIt: tryIt, Limit: kernel.Limit{Requests: c.RateLimit, Period: c.RatePeriod}, Memory: limit, Budget: uses, PictureCache: pictures,
		Proxies: proxies, Origins: c.CORSOrigins, AccessLog: c.AccessLog, Version: version, Build: build,
	}
	if c.Demo {
		if err := setUpDemo(ctx, &config); err != nil {
			return err
		}
	}
	srv, err := server.Start(ctx, config)
	if err != nil {
		return err
	}
	if lock := c.lockData(srv.Addr(), log); lock != nil {
		defer lock.Close()
	}
	c.keepAddress(srv.URL(), log)
	log.Info("serving", "url", srv.URL(), "listen", srv.Addr(), "database", srv.Store.Dialect(), "data", c.Data, "version", version)
	if c.Demo {
		if err := demo(ctx, srv, s.out); err != nil {
			stop, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			_ = srv.Stop(stop) // the first error is the one to report
			return fmt.Errorf("demonstration content: %w", err)
		}
	}
	return srv.Run(ctx)
}

// limits returns what accounts and organizations can do in 24 hours.
func (c *serveCmd) limits() orgs.Limits {
	return orgs.Limits{Invitations: c.Invitations, YoungInvitations: c.YoungInvites, Organizations: c.NewOrgs}
}

// tune sets the limits of the process until ctx is done, and returns that of the memory.
func (c *serveCmd) tune(ctx context.Context) (int64, error) {
	limit, err := memoryLimit(c.MemoryLimit)
	if err != nil {
		return 0, fmt.Errorf("--memory-limit: %w", err)
	}
	go newHeap(limit).watch(ctx)
	budget.ShareProcessors()
	return limit, nil
}

// tryIt returns the policy for requests of readers, or nil if they are not allowed. Those of the
// demonstration call its sandbox.
func (c *serveCmd) tryIt() (*outbound.Policy, error) {
	if !c.TryIt && !c.Demo {
		return nil, nil
	}
	p, err := outbound.Parse(c.TryItAllow)
	if err != nil {
		return nil, fmt.Errorf("--try-it-allow: %w", err)
	}
	return &p, nil
}

// mail returns the sender of mails. The demonstration prints mails instead.
func (c *serveCmd) mail(out io.Writer) (mail.Sender, error) {
	switch {
	case c.SMTP != "":
		sender, err := mail.ParseSMTP(c.SMTP, c.MailFrom)
		if err != nil {
			return nil, fmt.Errorf("--smtp, --mail-from: %w", err)
		}
		return sender, nil
	case c.Demo:
		return mail.Printer{W: out}, nil
	}
	return mail.None{}, nil
}

// preview serves a folder. It neither needs nor creates a data folder.
func (c *serveCmd) preview(ctx context.Context, s streams) error {
	log := newLog(s.err, c.LogLevel, c.LogFormat)
	srv, err := preview.Start(ctx, preview.Config{Dir: c.Preview, Ref: c.Ref, Listen: c.Listen, Log: log})
	if err != nil {
		return err
	}
	log.Info("serving", "url", srv.URL(), "listen", srv.Addr(), "folder", c.Preview, "ref", c.Ref, "pages", srv.Pages())
	if _, err := fmt.Fprintf(s.out, "\n  %s\n\nStop with Ctrl-C.\n", srv.URL()); err != nil {
		return err
	}
	return srv.Run(ctx)
}

// check returns an error for combinations of flags that cannot work.
func (c *serveCmd) check() error {
	switch {
	case c.Ref != "" && c.Preview == "":
		return errors.New("--ref is for --preview")
	case c.Demo && c.Preview != "":
		return errors.New("--demo and --preview are two things; choose one")
	case c.ACME && !strings.HasPrefix(c.BaseURL, "https://"):
		return errors.New("--acme needs --base-url with https, such as https://docs.example.com")
	case !c.ACME && (c.ACMEEmail != "" || c.ACMEHTTP != ""):
		return errors.New("--acme-email and --acme-http are for --acme")
	case strings.ContainsAny(c.SitesDomain, ":/*@ "):
		return errors.New("--sites-domain is a domain such as sites.example.com, without a scheme or a port: sites have those of --base-url")
	case c.RateLimit < 0:
		return errors.New("--rate-limit must not be negative")
	case c.Invitations < 0 || c.YoungInvites < 0 || c.NewOrgs < 0:
		return errors.New("--invitations-per-day, --young-invitations-per-day and --organizations-per-day must not be negative")
	case c.RatePeriod <= 0:
		return errors.New("--rate-period must be positive, such as 1m")
	}
	for _, o := range c.CORSOrigins {
		if err := server.CheckOrigin(o); err != nil {
			return fmt.Errorf("--cors-origins: %w", err)
		}
	}
	return checkBaseURL(c.BaseURL)
}

// checkBaseURL returns an error if a base URL is invalid, because URLs in responses begin
// with it.
func checkBaseURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return nil
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return fmt.Errorf("--base-url %q is not an http or https address, such as https://docs.example.com", s)
	case strings.Trim(u.Path, "/") != "":
		return fmt.Errorf("--base-url %q has a path: the server needs a host of its own, such as %s://%s", s, u.Scheme, u.Host)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(s, "#"):
		return fmt.Errorf("--base-url %q has more than a host: it must be %s://%s", u.Redacted(), u.Scheme, u.Host)
	}
	return nil
}

// setUpDemo sets what only a server with the demonstration has.
func setUpDemo(ctx context.Context, c *server.Config) (err error) {
	c.Reference = server.Reference{Basename: guideSite, Path: referencePage}
	c.Sandbox, err = newSandbox(ctx)
	return err
}

// demo fills the store and prints how to use the demonstration.
func demo(ctx context.Context, srv *server.Server, w io.Writer) error {
	d, err := seed(ctx, srv)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `
Octavo is running with a demonstration organization.

  API            %[1]s/v1
  Sign in        %[1]s/login  (as %[6]s; mails are printed here)
  Health         %[1]s/healthz
  Documentation  %[4]s  (guide, operating, API with a reference)
  Demonstration  %[5]s  (of a made-up product)
                 %[5]s?visitor.beta=true  (with a page for some visitors only)
  Token          %[2]s  (new; that of the last run has ended)

Try:

  curl -H 'Authorization: Bearer %[2]s' %[1]s/v1/orgs/%[3]s/spaces
  curl -H 'Authorization: Bearer %[2]s' '%[1]s/v1/orgs/%[3]s/search?query=import'

Stop with Ctrl-C.
`, srv.URL(), d.Token, d.Organization, demoURL(srv, guideSite), demoURL(srv, productSite), demoEmail)
	return err
}
