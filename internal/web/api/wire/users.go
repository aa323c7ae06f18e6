package wire

import (
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
)

// User is the JSON form of a user.
type User struct {
	Object      string     `json:"object" enum:"user"`
	ID          string     `json:"id"`
	DisplayName string     `json:"displayName"`
	Email       docs.Email `json:"email,omitempty"`
	PhotoURL    string     `json:"photoURL,omitempty"`
	URLs        Location   `json:"urls"`
}

// User returns the JSON form of a user.
func (v *Views) User(u docs.User) User {
	return User{
		Object: "user", ID: string(u.ID), DisplayName: u.DisplayName, Email: u.Email, PhotoURL: u.PhotoURL,
		URLs: Location{v.Location("users", string(u.ID))},
	}
}

// Person returns the JSON form of a user for a caller. Guests do not see the e-mail
// addresses of others.
func (v *Views) Person(g *authz.Grant, u docs.User) User {
	w := v.User(u)
	if !g.Sees(u.ID) {
		w.Email = ""
	}
	return w
}
