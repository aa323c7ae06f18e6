package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/web/api"
)

// apiFlags select the server, the credentials and the organization of commands that call
// the API.
type apiFlags struct {
	URL          string `help:"Address of the server." name:"url" default:"http://127.0.0.1:8080" env:"OCTAVO_URL" placeholder:"URL"`
	Token        string `help:"Token of the API; better given in the environment." env:"OCTAVO_TOKEN" required:""`
	Organization string `help:"Id or title of the organization; needed only if there are several." env:"OCTAVO_ORGANIZATION"`
}

// client sends requests to the API of a server.
type client struct {
	base  string
	token string
	http  http.Client
}

const (
	clientTimeout = time.Minute
	maxAnswer     = 64 << 20 // maximum size of a response in bytes
	maxPages      = 1000     // maximum number of pages of a list
	maxWaits      = 5        // maximum number of retries after 429 Too Many Requests
	longestWait   = 5 * 60   // seconds; a limit of a day is reported at once
)

func (f apiFlags) client() (*client, error) {
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("--url must be the address of a server, such as https://docs.example.com, and not %q", f.URL)
	}
	base := strings.TrimSuffix(strings.TrimRight(f.URL, "/"), api.Prefix) // both the server and its API are taken
	return &client{base + api.Prefix, f.Token, http.Client{Timeout: clientTimeout}}, nil
}

// apiPath returns a path below the API. Each element is escaped.
func apiPath(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("/" + url.PathEscape(p))
	}
	return b.String()
}

// do sends a request and decodes the response into out, unless out is nil or the response
// is empty. It retries a request that the server rejects with 429, after the delay of the
// Retry-After header.
func (c *client) do(ctx context.Context, method, path string, body, out any) error {
	for waits := 0; ; waits++ {
		res, err := c.send(ctx, method, path, body)
		if err != nil {
			return err
		}
		wait, err := strconv.Atoi(res.header.Get("Retry-After"))
		if res.status != http.StatusTooManyRequests || err != nil || waits == maxWaits || wait > longestWait {
			return res.decode(out)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(wait) * time.Second):
		}
	}
}

// response is the response of a server.
type response struct {
	what   string // method and path of the request
	status int
	header http.Header
	body   []byte
}

// download sends a GET request whose response may be large, and returns the body. The
// caller must close the body.
func (c *client) download(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("User-Agent", "octavo/"+version)
	res, err := new(http.Client).Do(req) // without a timeout: only ctx ends the download
	if err != nil {
		return nil, unreachable(err)
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, nil
	}
	defer res.Body.Close()
	out := response{what: "GET " + path, status: res.StatusCode}
	if out.body, err = io.ReadAll(io.LimitReader(res.Body, 1<<20)); err != nil {
		return nil, err
	}
	if err := out.decode(nil); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("GET %s: the server answered %d; is --url the address of an Octavo server?", path, res.StatusCode)
}

// unreachable wraps the error of a request that got no response.
func unreachable(err error) error {
	return fmt.Errorf("%w; is --url, or OCTAVO_URL, the address of your server, and does it run?", err)
}

func (c *client) send(ctx context.Context, method, path string, body any) (response, error) {
	out := response{what: method + " " + path}
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return out, err
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, in)
	if err != nil {
		return out, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("User-Agent", "octavo/"+version)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return out, unreachable(err)
	}
	defer res.Body.Close()
	out.status, out.header = res.StatusCode, res.Header
	out.body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err == nil && len(out.body) > maxAnswer {
		err = fmt.Errorf("%s: the answer is larger than %s", out.what, errs.Size(maxAnswer))
	}
	return out, err
}

// refusal is an error response of the server, with its status.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// decode returns the error of an error response, or decodes the body into out.
func (r response) decode(out any) error {
	if r.status >= http.StatusBadRequest {
		var p struct {
			Error struct{ Message string }
		}
		if json.Unmarshal(r.body, &p) != nil || p.Error.Message == "" {
			return fmt.Errorf("%s: the server answered %d; is --url the address of an Octavo server?", r.what, r.status)
		}
		if r.status == http.StatusUnauthorized {
			return errors.New(p.Error.Message + "; give a token of the server with --token or OCTAVO_TOKEN")
		}
		return &refusal{r.status, fmt.Sprintf("%s: %s (%d)", r.what, p.Error.Message, r.status)}
	}
	if out == nil || len(r.body) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.body, out); err != nil {
		return fmt.Errorf("%s: the answer cannot be read: %w; is --url the address of an Octavo server?", r.what, err)
	}
	return nil
}

// listAll returns the items of all pages of a list.
func listAll[T any](ctx context.Context, c *client, path string) ([]T, error) {
	var all []T
	page := ""
	for range maxPages {
		var v struct {
			Items []T
			Next  struct{ Page string }
		}
		if err := c.do(ctx, "GET", path+"?limit=1000&page="+url.QueryEscape(page), nil, &v); err != nil {
			return nil, err
		}
		all = append(all, v.Items...)
		if page = v.Next.Page; page == "" {
			return all, nil
		}
	}
	return nil, fmt.Errorf("%s has more than %d pages", path, maxPages)
}

// named holds the fields that most objects of the API have.
type named struct {
	ID    string
	Title string
}

// organization returns the ID of the organization in the flags. Without the flag, it is
// the only organization of the user.
func (f apiFlags) organization(ctx context.Context, c *client) (string, error) {
	all, err := listAll[named](ctx, c, "/orgs")
	if err != nil {
		return "", err
	}
	var found, names []string
	for _, o := range all {
		if f.Organization == "" || o.ID == f.Organization || o.Title == f.Organization {
			found = append(found, o.ID)
		}
		names = append(names, fmt.Sprintf("%s (%q)", o.ID, o.Title))
	}
	known := strings.Join(names[:min(len(names), 20)], ", ")
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(all) == 0:
		return "", errors.New("the token belongs to nobody who is in an organization")
	case len(found) == 0:
		return "", fmt.Errorf("there is no organization %q; yours are %s", f.Organization, known)
	}
	return "", fmt.Errorf("there are several organizations; name one by its id with --organization: %s", known)
}
