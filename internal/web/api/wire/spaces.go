package wire

import (
	"cmp"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
)

// Space is the JSON form of a space.
type Space struct {
	Object              string           `json:"object" enum:"space"`
	ID                  string           `json:"id"`
	Title               string           `json:"title"`
	Emoji               string           `json:"emoji"`
	Visibility          string           `json:"visibility" enum:"public,unlisted,share-link,visitor-auth,in-collection,private"`
	CreatedAt           docs.Time        `json:"createdAt"`
	UpdatedAt           docs.Time        `json:"updatedAt"`
	DeletedAt           docs.Time        `json:"deletedAt,omitzero"`
	EditMode            docs.EditMode    `json:"editMode"`
	MergeRules          MergeRules       `json:"mergeRules"`
	URLs                spaceURLs        `json:"urls"`
	Organization        string           `json:"organization"`
	Parent              string           `json:"parent,omitempty"`
	Language            string           `json:"language,omitempty"`
	GitSync             *GitSync         `json:"gitSync,omitempty" doc:"Absent if the space is not synchronized with a repository."`
	VisitorAuth         *visitorAuth     `json:"visitorAuth,omitempty" doc:"How readers sign in where the space is published; absent if they need not."`
	Revision            string           `json:"revision"`
	DefaultLevel        *docs.Level      `json:"defaultLevel"`
	Comments            int              `json:"comments"`
	ChangeRequests      int              `json:"changeRequests"`
	ChangeRequestsOpen  int              `json:"changeRequestsOpen"`
	ChangeRequestsDraft int              `json:"changeRequestsDraft"`
	Permissions         spacePermissions `json:"permissions"`
}

type visitorAuth struct {
	Backend string `json:"backend" enum:"custom"`
}

type spaceURLs struct {
	Location  string `json:"location" format:"uri"`
	App       string `json:"app" format:"uri"`
	Published string `json:"published,omitempty" format:"uri" doc:"Where readers find the space; absent if it is on no published site."`
	Public    string `json:"public,omitempty" format:"uri" doc:"The same address if it is public."`
	Icon      string `json:"icon,omitempty" format:"uri"`
}

type spacePermissions struct {
	View               bool `json:"view"`
	Access             bool `json:"access"`
	Admin              bool `json:"admin"`
	ViewInviteLinks    bool `json:"viewInviteLinks"`
	Edit               bool `json:"edit"`
	TriggerGitSync     bool `json:"triggerGitSync"`
	Comment            bool `json:"comment"`
	Merge              bool `json:"merge"`
	Review             bool `json:"review"`
	InstallIntegration bool `json:"installIntegration"`
}

// Space returns the JSON form of a space for a caller with the role r on it.
func (v *Views) Space(by authz.Actor, s docs.Space, r docs.Role) Space {
	return v.sharedSpace(by, s, r, "")
}

// sharedSpace is space with a share key of sites.ShareLinks.AddressKey, which its address contains.
func (v *Views) sharedSpace(by authz.Actor, s docs.Space, r docs.Role, shareKey string) Space {
	published, public := v.published(s, shareKey)
	var auth *visitorAuth
	if s.Published != nil && s.Published.Visibility == docs.VisibilityAuth {
		auth = &visitorAuth{docs.AuthCustom}
	}
	return Space{
		Object: "space", ID: string(s.ID), Title: s.Title, Emoji: s.Emoji, Visibility: s.Visibility(),
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, DeletedAt: s.DeletedAt, EditMode: s.EditMode, MergeRules: mergeRules(s.MergeRules),
		URLs: spaceURLs{
			Location: v.Location("spaces", string(s.ID)), App: v.BaseURL + "/o/" + string(s.Org) + "/s/" + string(s.ID), Icon: s.IconURL,
			Published: published, Public: public,
		},
		Organization: string(s.Org), Parent: string(s.Parent), Language: s.Language, GitSync: GitSyncOf(s.ID, s.Git), VisitorAuth: auth, Revision: string(s.Revision),
		DefaultLevel: LevelOrNull(s.Level), Comments: s.Counters.OpenComments, ChangeRequests: s.Counters.ChangeRequests,
		ChangeRequestsOpen: s.Counters.OpenChangeRequests, ChangeRequestsDraft: s.Counters.DraftChangeRequests,
		Permissions: spacePermissions{
			View: by.Can(r, authz.ViewSpace), Access: by.Can(r, authz.ViewSpace), Admin: by.Can(r, authz.AdminSpace),
			ViewInviteLinks: by.Can(r, authz.AdminSpace), Edit: by.Can(r, authz.EditSpace),
			TriggerGitSync: by.Can(r, authz.SyncSpace), Comment: by.Can(r, authz.CommentSpace),
			Merge: by.Can(r, authz.MergeSpace), Review: by.Can(r, authz.ReviewSpace),
			InstallIntegration: by.Can(r, authz.InstallInSpace),
		},
	}
}

// published returns the address of a space for readers, and the same address again if
// everybody can read it. Both are empty if the space is on no published site.
func (v *Views) published(s docs.Space, shareKey string) (published, public string) {
	if s.Published == nil {
		return "", ""
	}
	published = v.sites.Hosts.URL(*s.Published, shareKey)
	if s.Published.Visibility == docs.VisibilityPublic {
		public = published
	}
	return published, public
}

// SeenSpace returns the JSON form of a space for a member, or for a visitor. Visitors see
// nothing of the work on the space: no people, no counters, no repository.
func (v *Views) SeenSpace(by authz.Actor, s docs.Space, r docs.Role, visited bool, shareKey string) Space {
	if visited {
		s.MergeRules, s.Counters, s.Parent, s.Git = docs.MergeRules{Type: docs.MergeInherit}, docs.SpaceCounters{}, "", nil
		s.Level, s.EditMode = docs.LevelNone, docs.EditLocked
	}
	return v.sharedSpace(by, s, r, shareKey)
}

// AppURL returns the address of a page in the application, or of the space if the path
// is empty.
func (v *Views) AppURL(sp docs.Space, path string) string {
	out := v.BaseURL + "/o/" + string(sp.Org) + "/s/" + string(sp.ID)
	if path == "" {
		return out
	}
	return out + "/" + reading.EscapePath(path)
}

// GitSync is the JSON form of the repository that a space is synchronized with.
type GitSync struct {
	RepoName     string    `json:"repoName,omitempty"`
	Installation string    `json:"installationProvider" enum:"github,gitlab,github-legacy" doc:"github too if the host is of no known kind: clients know no other."`
	ID           string    `json:"installationId" doc:"Id of the space, which has one connection."`
	Status       string    `json:"installationStatus" enum:"active"`
	Integration  string    `json:"integration,omitempty"`
	URL          string    `json:"url,omitempty" doc:"Without credentials."`
	UpdatedAt    docs.Time `json:"updatedAt,omitzero"`
}

// GitSyncOf returns the JSON form of the connection of a space with a repository, or nil if there is none.
func GitSyncOf(space docs.SpaceID, i *docs.GitInfo) *GitSync {
	if i == nil {
		return nil
	}
	return &GitSync{
		RepoName: i.RepoName, Installation: cmp.Or(i.Provider, "github"), ID: string(space), Status: "active", URL: i.URL, UpdatedAt: i.UpdatedAt,
	}
}
