package visitor

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"regexp"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	// MaxToken bounds a visitor token in bytes: it travels in addresses and
	// cookies.
	MaxToken = 8 << 10
	// MaxLifetime is how far ahead a visitor token may expire: who lost access
	// must not keep it.
	MaxLifetime = 30 * 24 * time.Hour

	leeway  = 30 * time.Second // between the clocks of two servers
	minKey  = 32               // bytes
	maxTime = 1 << 40          // seconds; more is no time that anybody means
)

// Visitor is somebody for whom a site owner vouches.
type Visitor struct {
	// Claims are what the token says, without when it is valid.
	Claims map[string]any
	// Expires is when the token ends, in seconds since 1970.
	Expires int64
}

// NewPrivateKey returns a key for visitor tokens of a site. Its owner uses the
// text as it is.
func NewPrivateKey() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}

// Check returns the visitor of a token that was signed with the private key of a
// site. Everything else is an error of the kind Unauthenticated: another algorithm
// or key, a token that has expired, that never does or only after MaxLifetime, and
// one that is not valid yet.
func Check(privateKey, token string, now time.Time) (Visitor, error) {
	claims := jwt.MapClaims{}
	if err := parse(token, MaxToken, []byte(privateKey), now, claims); err != nil {
		return Visitor{}, err
	}
	for _, name := range []string{"exp", "iat", "nbf"} {
		if v, ok := claims[name]; ok {
			if n, ok := v.(float64); !ok || n < 0 || n > maxTime {
				return Visitor{}, refused(Malformed, name+" is not a time in seconds", nil)
			}
		}
	}
	expires := int64(claims["exp"].(float64))
	if time.Unix(expires, 0).After(now.Add(MaxLifetime + leeway)) {
		return Visitor{}, refused(Endless, "it expires too far in the future; 30 days are the maximum", nil)
	}
	out := maps.Clone(map[string]any(claims))
	for _, name := range []string{"exp", "iat", "nbf"} {
		delete(out, name)
	}
	return Visitor{Claims: out, Expires: expires}, nil
}

// tokenRE is the form of a signed token.
var tokenRE = regexp.MustCompile(`\A[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+[.][A-Za-z0-9_-]*\z`)

// parse checks the signature of a token and when it is valid, and reads its claims.
func parse(token string, limit int, key []byte, now time.Time, claims jwt.Claims) error {
	switch {
	case len(token) > limit:
		return refused(Malformed, "it is too long", nil)
	case !tokenRE.MatchString(token): // the decoder of the library skips line ends
		return refused(Malformed, "it is malformed", nil)
	case len(key) < minKey:
		return refused(Signature, "there is no key to check it with", nil)
	}
	parsed, err := jwt.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
		if _, critical := t.Header["crit"]; critical {
			return nil, errCritical
		}
		return key, nil
	},
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithIssuedAt(),
		jwt.WithLeeway(leeway), jwt.WithStrictDecoding(), jwt.WithTimeFunc(func() time.Time { return now }))
	if err != nil {
		return unverified(parsed, err)
	}
	if !parsed.Valid {
		return refused(Signature, "its signature is wrong", nil)
	}
	return nil
}
