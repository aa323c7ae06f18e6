package wire

import (
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
)

// Member is the JSON form of a member. Its id is the id of the user.
type Member struct {
	Object     string     `json:"object" enum:"member"`
	ID         string     `json:"id"`
	Role       *docs.Role `json:"role"`
	User       User       `json:"user"`
	Disabled   bool       `json:"disabled"`
	JoinedAt   docs.Time  `json:"joinedAt"`
	LastSeenAt docs.Time  `json:"lastSeenAt,omitzero"`
	SSO        bool       `json:"sso" doc:"Whether the member signs in through SSO; false until the member has used the organization."`
	Spaces     int        `json:"spaces" doc:"Number of spaces to which the member or one of their teams was granted access."`
	Teams      int        `json:"teams"`
	Sites      int        `json:"sites" doc:"Number of sites to which the member or one of their teams was granted access."`
}

// Member returns the JSON form of a member.
func (v *Views) Member(m docs.Member) Member {
	return Member{
		"member", string(m.User.ID), OrNull(m.Role), v.User(m.User), m.Disabled, m.JoinedAt, m.LastSeenAt, m.SSO && !m.LastSeenAt.IsZero(), m.Spaces, m.Teams, m.Sites,
	}
}

// Team is the JSON form of a team.
type Team struct {
	Object      string          `json:"object" enum:"team"`
	ID          string          `json:"id"`
	Title       string          `json:"title"`
	Members     int             `json:"members"`
	Spaces      int             `json:"spaces" doc:"Number of spaces to which the team was granted access."`
	CreatedAt   docs.Time       `json:"createdAt"`
	Permissions teamPermissions `json:"permissions"`
}

type teamPermissions struct {
	Admin bool `json:"admin"`
	View  bool `json:"view"`
}

// Team returns the JSON form of a team for a caller with an access to its organization.
func (v *Views) Team(caller authz.Actor, t docs.Team, by *docs.Access) Team {
	role := authz.TeamRole(by, t.ID)
	return Team{
		"team", string(t.ID), t.Title, t.Members, t.Spaces, t.CreatedAt,
		teamPermissions{Admin: caller.Can(role, authz.ManageTeam), View: caller.Can(role, authz.ViewTeam)},
	}
}
