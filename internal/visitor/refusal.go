package visitor

import (
	"errors"

	"github.com/golang-jwt/jwt/v5"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Refusal is the reason why a token was refused. It is specific enough for the issuer of the
// tokens, and reveals nothing of their content.
type Refusal string

// Reasons to refuse a token.
const (
	Expired   Refusal = "expired"
	Early     Refusal = "not-valid-yet"
	Lifetime  Refusal = "lifetime"
	Signature Refusal = "signature"
	Algorithm Refusal = "algorithm"
	Malformed Refusal = "malformed"
)

// Error implements error.
func (r Refusal) Error() string { return string(r) }

// Text returns the reason as a sentence for the visitor.
func (r Refusal) Text() string {
	switch r {
	case Expired:
		return "The sign-in token has expired."
	case Early:
		return "The sign-in token is not valid yet: the clock of the server that made it is ahead."
	case Lifetime:
		return "The sign-in token has no end, or one more than 30 days ahead."
	case Signature:
		return "The sign-in token is not signed with this site's key."
	case Algorithm:
		return "The sign-in token is not signed with HS256."
	}
	return "The sign-in token is malformed."
}

// RefusalOf returns why a token was refused. It is empty if err has another cause.
func RefusalOf(err error) Refusal {
	var r Refusal
	errors.As(err, &r)
	return r
}

// refused returns the error for a token that is refused.
func refused(r Refusal, why string, err error) error {
	return &errs.Error{Kind: errs.Unauthenticated, Message: "the token is not valid: " + why, Err: errors.Join(r, err)}
}

var errCritical = errors.New("the token has critical extensions, and none is known")

// unverified returns the error for a token that the library does not accept. The argument parsed
// holds the parts that the library could decode. It may be nil.
func unverified(parsed *jwt.Token, err error) error {
	if parsed != nil && parsed.Header != nil && parsed.Header["alg"] != jwt.SigningMethodHS256.Alg() {
		return refused(Algorithm, "it must be signed with HS256 and the current key", err)
	}
	for _, r := range []struct {
		err   error
		class Refusal
		why   string
	}{
		{errCritical, Malformed, "it has critical extensions, and none is known"},
		{jwt.ErrTokenUnverifiable, Signature, "it must be signed with HS256 and the current key"},
		{jwt.ErrTokenSignatureInvalid, Signature, "it must be signed with HS256 and the current key"},
		{jwt.ErrTokenRequiredClaimMissing, Lifetime, "exp is missing"},
		{jwt.ErrTokenExpired, Expired, "it has expired"},
		{jwt.ErrTokenNotValidYet, Early, "it is not valid yet"},
		{jwt.ErrTokenUsedBeforeIssued, Early, "it was issued in the future"},
	} {
		if errors.Is(err, r.err) {
			return refused(r.class, r.why, err)
		}
	}
	return refused(Malformed, "it is malformed", err)
}
