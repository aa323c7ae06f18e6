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
	// MaxToken is the maximum size of a visitor token in bytes: it is sent in addresses and
	// cookies.
	MaxToken = 8 << 10
	// MaxLifetime is the maximum time until a visitor token expires. It limits how long a
	// visitor keeps access after losing it in the system of the site owner.
	MaxLifetime = 30 * 24 * time.Hour

	leeway  = 30 * time.Second // allowed difference between the clocks of two servers
	minKey  = 32               // bytes
	maxTime = 1 << 40          // seconds; larger values are not plausible times
)

// Visitor is a person for whom a site owner vouches.
type Visitor struct {
	// Claims are the claims of the token, without exp, iat and nbf.
	Claims map[string]any
	// Expires is the expiry of the token, in Unix seconds.
	Expires int64
}

// NewPrivateKey returns a key for visitor tokens of a site. The bytes of the string are the
// key. It is not decoded.
func NewPrivateKey() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}

// Check returns the visitor of a token that was signed with the private key of a site. Any
// other token results in an error of the kind Unauthenticated: one with another algorithm or
// key, one that has expired or is not valid yet, and one without an expiry or with an expiry
// beyond MaxLifetime.
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
		return Visitor{}, refused(Lifetime, "it expires too far in the future; 30 days are the maximum", nil)
	}
	out := maps.Clone(map[string]any(claims))
	for _, name := range []string{"exp", "iat", "nbf"} {
		delete(out, name)
	}
	return Visitor{Claims: out, Expires: expires}, nil
}

// tokenRE is the form of a signed token.
var tokenRE = regexp.MustCompile(`\A[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+[.][A-Za-z0-9_-]*\z`)

// parse verifies the signature and the validity period of a token, and decodes its claims.
func parse(token string, limit int, key []byte, now time.Time, claims jwt.Claims) error {
	switch {
	case len(token) > limit:
		return refused(Malformed, "it is too long", nil)
	case !tokenRE.MatchString(token): // the decoder of the library ignores line breaks
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
