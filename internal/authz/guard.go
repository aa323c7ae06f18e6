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

// Guard is before every operation. It keeps tokens and access in memory,
// but never uses what is older than the store says: whatever reads the thing
// of a request also reads the versions of both, so a revoked token or a
// removed member is out with the next request on every node.
type Guard struct {
	Checker
	// Used records a use that the log of an organization has, in the transaction of Flush. Nil: nothing
	// is recorded.
	Used func(ctx context.Context, tx *store.Tx, u store.FirstUse) error

	store  *store.Store
	tokens *cache.Cache[tokenKey, *knownToken]
	known  *cache.Cache[accessKey, *docs.Access]

	mu     sync.Mutex
	used   map[docs.TokenID]store.Use
	inOrgs map[store.OrgToken]store.Use
	seen   map[memberKey]docs.Time
}

// tokenKey is the hash of a secret: secrets are not kept in memory.
type tokenKey = [sha256.Size]byte

type knownToken struct {
	token   docs.Token
	version int64
	noted   atomic.Pointer[activity] // what was noted last
}

// activity is that a token was used, perhaps in an organization.
type activity struct {
	org docs.OrgID
	at  docs.Time
}

// noteEvery is how exact the moment of the last use is.
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

// The caches hold at most this many entries.
const (
	maxTokens = 20_000
	maxAccess = 20_000
)

// NewGuard returns the guard of a store. Without sites it knows no visitors.
func NewGuard(s *store.Store, sites Sites) *Guard {
	g := &Guard{
		store:  s,
		tokens: cache.New[tokenKey](maxTokens, func(*knownToken) int { return 1 }),
		known:  cache.New[accessKey](maxAccess, func(*docs.Access) int { return 1 }),
	}
	g.forget()
	g.Checker = Checker{r: s.Reader, sites: sites, access: g.cachedAccess}
	return g
}

func (g *Guard) cachedAccess(ctx context.Context, org docs.OrgID, user docs.UserID, version int64) (*docs.Access, error) {
	key := accessKey{org, user, version}
	if a, ok := g.known.Get(key); ok {
		return a, nil
	}
	a, err := g.store.Access(ctx, org, user)
	if err == nil && a.Member { // outsiders are not worth a place
		g.known.Set(key, a)
	}
	return a, err
}

var errToken = errs.E(errs.Unauthenticated, "the token is missing, unknown, expired or revoked; send it as \"Authorization: Bearer octavo_…\"")

// Session is a token that was recognised, perhaps from memory; Check makes
// sure that it is still good.
type Session struct {
	Actor   Actor
	key     tokenKey
	version int64
	known   *knownToken // nil: of a visitor
}

// visitor recognises a content token. It is good for what the site shows when
// a request is checked, so nothing of it is kept.
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

// Origin is where a request comes from, for the log and for who looks at the use of tokens.
type Origin struct {
	Request string // its id
	Address string // of the network
}

// OriginOf returns the origin of a request with an id, by its RemoteAddr.
func OriginOf(remote, request string) Origin {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	return Origin{Request: request, Address: host}
}

// Authenticate recognises the token of an Authorization header.
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
	return g.recognise(ctx, secret, from, false)
}

// AuthenticateSession recognises the secret that a browser has as a cookie. It is
// no token, and a token is no session: what leaks as one is of no use as the other.
func (g *Guard) AuthenticateSession(ctx context.Context, secret string, from Origin) (*Session, error) {
	if !strings.HasPrefix(secret, docs.SessionPrefix) || len(secret) > 200 {
		return nil, errSession
	}
	s, err := g.recognise(ctx, secret, from, true)
	if errs.Is(err, errs.Unauthenticated) {
		return nil, errSession
	}
	return s, err
}

var errSession = errs.E(errs.Unauthenticated, "you are not signed in, or your session has ended; sign in again")

// recognise returns the session of a secret.
func (g *Guard) recognise(ctx context.Context, secret string, from Origin, session bool) (*Session, error) {
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

// readToken reads a token and remembers it. The version is read first: a
// token that is revoked in between is then known under an old version.
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

// Check allows a session what a rule says, or reports why not. param returns the
// values of the path.
func (g *Guard) Check(ctx context.Context, s *Session, rule Rule, param func(string) string, now time.Time) (*Grant, error) {
	grant, stamp, err := g.ask(ctx, s.Actor, rule, param)
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
	grant.asked = &asked{session: s, actor: s.Actor, rule: rule, param: param, stamp: stamp, sites: g.sites}
	if s.known != nil {
		g.note(s.known, grant, docs.TimeOf(now))
	}
	return grant, nil
}

// note remembers that a token and a member were active; Flush writes it.
func (g *Guard) note(k *knownToken, grant *Grant, now docs.Time) {
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

// forget begins anew with what was noted.
func (g *Guard) forget() {
	g.used, g.inOrgs, g.seen = map[docs.TokenID]store.Use{}, map[store.OrgToken]store.Use{}, map[memberKey]docs.Time{}
}

// Flush writes when tokens and members were last active. It runs now and
// then, not with every request: the moment need not be exact.
func (g *Guard) Flush(ctx context.Context) error {
	g.mu.Lock()
	used, inOrgs, seen := g.used, g.inOrgs, g.seen
	g.forget()
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

// recordUses hands first uses to Used.
func (g *Guard) recordUses(ctx context.Context, tx *store.Tx, inOrgs map[store.OrgToken]store.Use) error {
	if g.Used == nil {
		return nil
	}
	first, err := tx.FirstUses(ctx, inOrgs)
	for _, use := range first {
		if err == nil {
			err = g.Used(ctx, tx, use)
		}
	}
	return err
}

type ctxKey struct{}

// NewContext puts a grant into a request's context: the one thing that travels so.
func NewContext(ctx context.Context, g *Grant) context.Context {
	return context.WithValue(ctx, ctxKey{}, g)
}

// FromContext returns the grant of a request. Only operations behind a guard may ask.
func FromContext(ctx context.Context) *Grant { return ctx.Value(ctxKey{}).(*Grant) }
