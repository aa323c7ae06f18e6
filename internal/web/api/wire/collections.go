package wire

import (
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
)

// Collection is the JSON form of a collection.
type Collection struct {
	Object       string                `json:"object" enum:"collection"`
	ID           string                `json:"id"`
	Title        string                `json:"title"`
	Description  string                `json:"description,omitempty"`
	Organization string                `json:"organization"`
	Parent       string                `json:"parent,omitempty"`
	DefaultLevel *docs.Level           `json:"defaultLevel"`
	URLs         contentURLs           `json:"urls"`
	Permissions  collectionPermissions `json:"permissions"`
}

type contentURLs struct {
	Location string `json:"location" format:"uri"`
	App      string `json:"app" format:"uri"`
}

type collectionPermissions struct {
	View            bool `json:"view"`
	Admin           bool `json:"admin"`
	ViewInviteLinks bool `json:"viewInviteLinks"`
	Create          bool `json:"create"`
}

// Collection returns the JSON form of a collection for a caller who has the role r on it.
func (v *Views) Collection(by authz.Actor, c docs.Collection, r docs.Role) Collection {
	return Collection{
		Object: "collection", ID: string(c.ID), Title: c.Title, Description: c.Description, Organization: string(c.Org),
		Parent: string(c.Parent), DefaultLevel: LevelOrNull(c.Level),
		URLs: contentURLs{v.Location("collections", string(c.ID)), v.BaseURL + "/o/" + string(c.Org) + "/c/" + string(c.ID)},
		Permissions: collectionPermissions{
			View: by.Can(r, authz.ViewCollection), Admin: by.Can(r, authz.AdminCollection),
			ViewInviteLinks: by.Can(r, authz.AdminCollection), Create: by.Can(r, authz.CreateIn),
		},
	}
}
