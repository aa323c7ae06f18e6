package wire

import (
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
)

// Token is the JSON form of a token, without its secret.
type Token struct {
	Object     string       `json:"object" enum:"token"`
	ID         string       `json:"id"`
	Label      string       `json:"label"`
	Scopes     []docs.Scope `json:"scopes" doc:"Empty for all permissions of the user."`
	CreatedAt  docs.Time    `json:"createdAt"`
	ExpiresAt  docs.Time    `json:"expiresAt,omitzero"`
	LastUsedAt docs.Time    `json:"lastUsedAt,omitzero"`
	// LastAddress is absent until the token is used.
	LastAddress string `json:"lastAddress,omitempty" doc:"Address from which it was used last."`
}

// NewToken is a token with its secret.
type NewToken struct {
	Token
	Secret string `json:"token" doc:"Send it as Authorization: Bearer. It is not returned again."`
}

// TokenOf returns the JSON form of a token.
func TokenOf(t docs.Token) Token {
	return Token{
		Object: "token", ID: string(t.ID), Label: t.Label, Scopes: append([]docs.Scope{}, t.Scopes...),
		CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, LastUsedAt: t.LastUsedAt, LastAddress: t.LastAddress,
	}
}

// TokenBody is the body of a request that creates a token.
type TokenBody struct {
	Label     string                `json:"label" minLength:"1" maxLength:"50"`
	Scopes    opt.Val[[]docs.Scope] `json:"scopes,omitempty" enum:"read,write,admin" minItems:"1" uniqueItems:"true" doc:"What the token is allowed to do. Default: everything that its owner is allowed to do."`
	ExpiresAt opt.Val[docs.Time]    `json:"expiresAt,omitempty" doc:"At most the end of the token of this request, which is also the default. Default for a token without end: never."`
}

// New returns the token that a request asks for.
func (b TokenBody) New() orgs.NewToken {
	return orgs.NewToken{Label: b.Label, Scopes: b.Scopes.Or(nil), ExpiresAt: b.ExpiresAt}
}

// TokenIn names a token.
type TokenIn struct {
	Token docs.TokenID `path:"tokenId"`
}
