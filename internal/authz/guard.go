package authz

import (
	"context"
	"crypto/sha256"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// Guard authenticates and authorizes the caller of every operation. It caches tokens and
// access, but never uses entries that are older than the data in the store. The statement
// that reads the resource of a request also reads the versions of both. So a revoked
// token or a removed member is refused from the next request on, on every node.
type Guard struct {
	Checker
	// first records the first use of a token in an organization in its audit log, in the
	// transaction of Flush. If it is nil, nothing is recorded.
	first func(ctx context.Context, tx *store.Tx, u store.FirstUse) error

	store  *store.Store
	tokens *cache.Cache[tokenKey, *knownToken]
	known  *cache.Cache[accessKey, *docs.Access]

	mu       sync.Mutex
	flushing sync.Mutex // held by Flush until its transaction has ended
	used     map[docs.TokenID]store.Use
	inOrgs   map[store.OrgToken]store.Use
	seen     map[memberKey]docs.Time
}

// tokenKey is the hash of a secret: secrets are not kept in memory.
type tokenKey = [sha256.Size]byte

type knownToken struct {
	token   docs.Token
	version int64
	noted   atomic.Pointer[activity] // the activity that was noted last
}

// activity is the use of a token, with the organization if there was one.
type activity struct {
	org docs.OrgID
	at  docs.Time
}

// noteEvery is the precision of the time of the last use.
const noteEvery = docs.Time(5 * time.Second / time.Millisecond)

type accessKey struct {
	org     docs.OrgID
	user    docs.UserID
	version int64
}

type memberKey struct {
	org  docs.OrgID
	user docs.UserID
}

// Maximum numbers of entries of the caches.
const (
	maxTokens = 20_000
	maxAccess = 20_000
)

// NewGuard returns the guard of a store. If sites is nil, it accepts no visitors. first records
// the first use of a token in an organization; it may be nil.
func NewGuard(s *store.Store, sites Sites, first func(context.Context, *store.Tx, store.FirstUse) error) *Guard {
	g := &Guard{
		first:  first,
		store:  s,
		tokens: cache.New[tokenKey](maxTokens, func(*knownToken) int { return 1 }),
		known:  cache.New[accessKey](maxAccess, func(*docs.Access) int { return 1 }),
	}
	g.clearActivity()
	g.Checker = Checker{r: s.Reader, sites: sites, access: g.cachedAccess}
	return g
}

func (g *Guard) cachedAccess(ctx context.Context, org docs.OrgID, user docs.UserID, version int64) (*docs.Access, error) {
	key := accessKey{org, user, version}
	if a, ok := g.known.Get(key); ok {
		return a, nil
	}
	a, err := g.store.Access(ctx, org, user)
	if err == nil && a.Member { // entries of outsiders would only fill the cache
		g.known.Set(key, a)
	}
	return a, err
}

var errToken = errs.E(errs.Unauthenticated, "the token is missing, unknown, expired or revoked; send it as \"Authorization: Bearer octavo_…\"")

// Session is a token that was found, possibly in the cache. Check verifies that it is
// still valid.
type Session struct {
	Actor   Actor
	key     tokenKey
	version int64
	known   *knownToken // nil for a visitor
}

// visitor returns the session of a content token. It is not cached, because its rights
// depend on what the site shows when a request is checked.
func (g *Guard) visitor(ctx context.Context, token string, from Origin) (*Session, error) {
	if g.sites == nil {
		return nil, errToken
	}
	v, err := g.sites.Recognise(ctx, token, g.store.Clock())
	if err != nil {
		return nil, err
	}
	return &Session{Actor: Actor{Request: from.Request, Address: from.Address, Scopes: docs.Scopes{docs.ScopeRead}, Visitor: &v}}, nil
}

// Origin is the source of a request, for the audit log and for the list of the last uses
// of tokens.
type Origin struct {
	Request string // id of the request
	Address string // network address of the client
}

// OriginOf returns the origin of a request with an id and a RemoteAddr.
func OriginOf(remote, request string) Origin {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	return Origin{Request: request, Address: host}
}

// Authenticate returns the session of the token in an Authorization header.
func (g *Guard) Authenticate(ctx context.Context, header string, from Origin) (*Session, error) {
	scheme, secret, ok := strings.Cut(header, " ")
	secret = strings.TrimSpace(secret)
	switch {
	case !ok || !strings.EqualFold(scheme, "Bearer"):
		return nil, errToken
	case visitor.IsToken(secret):
		return g.visitor(ctx, secret, from)
	case !strings.HasPrefix(secret, docs.TokenPrefix) || len(secret) > 200:
		return nil, errToken
	}
	return g.sessionOf(ctx, secret, from, false)
}

// AuthenticateSession returns the session of the secret in the cookie of a browser. Such
// a secret is not accepted as a token, and a token is not accepted as a session: a leaked
// one is of no use as the other.
func (g *Guard) AuthenticateSession(ctx context.Context, secret string, from Origin) (*Session, error) {
	if !strings.HasPrefix(secret, docs.SessionPrefix) || len(secret) > 200 {
		return nil, errSession
	}
	s, err := g.sessionOf(ctx, secret, from, true)
	if errs.Is(err, errs.Unauthenticated) {
		return nil, errSession
	}
	return s, err
}

var errSession = errs.E(errs.Unauthenticated, "you are not signed in, or your session has ended; sign in again")

// sessionOf returns the session of a secret. session is whether the secret must be that
// of a browser session or that of a token.
func (g *Guard) sessionOf(ctx context.Context, secret string, from Origin, session bool) (*Session, error) {
	key := docs.HashSecret(secret)
	k, ok := g.tokens.Get(key)
	if !ok {
		var err error
		if k, err = g.readToken(ctx, key); err != nil {
			return nil, err
		}
	}
	if g.expired(k.token) || k.token.Session != session {
		return nil, errToken
	}
	return &Session{
		Actor: Actor{
			User: k.token.User, Token: k.token.ID, Scopes: k.token.Scopes, Expires: k.token.ExpiresAt, Session: session, Org: k.token.Org,
			Request: from.Request, Address: from.Address,
		},
		key: key, version: k.version, known: k,
	}, nil
}

func (g *Guard) expired(t docs.Token) bool {
	return !t.ExpiresAt.IsZero() && t.ExpiresAt <= docs.TimeOf(g.store.Clock())
}

// readToken reads a token from the store and caches it. The version is read first: if the
// token is revoked in between, its entry has an outdated version.
func (g *Guard) readToken(ctx context.Context, key tokenKey) (*knownToken, error) {
	stamp, err := g.store.AuthStamp(ctx)
	if err != nil {
		return nil, err
	}
	t, err := g.store.TokenByHash(ctx, key)
	if errs.Is(err, errs.NotFound) {
		g.tokens.Delete(key)
		return nil, errToken
	}
	if err != nil {
		return nil, err
	}
	k := &knownToken{token: t, version: stamp.Auth}
	g.tokens.Set(key, k)
	return k, nil
}

// Check returns the grant if a rule allows the request of a session, and an error
// otherwise. param returns the values of the path.
func (g *Guard) Check(ctx context.Context, s *Session, rule Rule, param func(string) string, now time.Time) (*Grant, error) {
	grant, stamp, err := g.checkStamped(ctx, s.Actor, rule, param)
	if errs.Is(err, errs.Internal) {
		return nil, err
	}
	if s.known != nil && stamp.Auth != s.version {
		k, terr := g.readToken(ctx, s.key)
		if terr != nil {
			return nil, terr
		}
		if g.expired(k.token) {
			return nil, errToken
		}
		s.version = k.version
	}
	if err != nil {
		return nil, err
	}
	grant.params = &checkParams{session: s, actor: s.Actor, rule: rule, param: param, stamp: stamp, sites: g.sites}
	if s.known != nil {
		g.recordActivity(s.known, grant, docs.TimeOf(now))
	}
	return grant, nil
}

// recordActivity records in memory that a token and a member were active. Flush writes it
// to the store.
func (g *Guard) recordActivity(k *knownToken, grant *Grant, now docs.Time) {
	var org docs.OrgID
	if grant.Access != nil {
		org = grant.Access.Org
	}
	if last := k.noted.Load(); last != nil && last.org == org && now-last.at < noteEvery {
		return
	}
	k.noted.Store(&activity{org, now})
	g.mu.Lock()
	defer g.mu.Unlock()
	use := store.Use{At: now, Address: grant.Actor.Address}
	g.used[grant.Actor.Token] = use
	if org != "" {
		g.inOrgs[store.OrgToken{Org: org, Token: grant.Actor.Token}] = use
		g.seen[memberKey{org, grant.Actor.User}] = now
	}
}

// clearActivity clears the recorded activity.
func (g *Guard) clearActivity() {
	g.used, g.inOrgs, g.seen = map[docs.TokenID]store.Use{}, map[store.OrgToken]store.Use{}, map[memberKey]docs.Time{}
}

// Flush writes the times of the last activity of tokens and members. It runs periodically
// and not with every request, because the times need not be exact. When it returns, they
// are stored, also if another call took them.
func (g *Guard) Flush(ctx context.Context) error {
	g.flushing.Lock()
	defer g.flushing.Unlock()
	g.mu.Lock()
	used, inOrgs, seen := g.used, g.inOrgs, g.seen
	g.clearActivity()
	g.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	return g.store.Do(ctx, func(tx *store.Tx) error {
		if err := g.recordUses(ctx, tx, inOrgs); err != nil {
			return err
		}
		if err := tx.TouchTokens(ctx, used, inOrgs); err != nil {
			return err
		}
		for m, at := range seen {
			if err := tx.TouchMember(ctx, m.org, m.user, at); err != nil {
				return err
			}
		}
		return nil
	})
}

// recordUses calls first for each first use of a token in an organization.
func (g *Guard) recordUses(ctx context.Context, tx *store.Tx, inOrgs map[store.OrgToken]store.Use) error {
	if g.first == nil {
		return nil
	}
	uses, err := tx.FirstUses(ctx, inOrgs)
	for _, use := range uses {
		if err == nil {
			err = g.first(ctx, tx, use)
		}
	}
	return err
}

type ctxKey struct{}

// NewContext returns a context with the grant of a request, which is the only value that
// travels in contexts like this.
func NewContext(ctx context.Context, g *Grant) context.Context {
	return context.WithValue(ctx, ctxKey{}, g)
}

// FromContext returns the grant of a request. It panics if the operation has no guard.
func FromContext(ctx context.Context) *Grant { return ctx.Value(ctxKey{}).(*Grant) }
