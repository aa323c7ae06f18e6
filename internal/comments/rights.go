package comments

import (
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Rights are what somebody may do with a comment or a reply. This is the one
// place that says so; what is refused and what an answer calls permissions
// both come from here.
//
//	see              who can see the space
//	reply, react     who may comment on the space
//	edit, delete     its author, as long as they may comment; who may change the space
//	resolve, reopen  the author of the comment, likewise; who may edit the space
type Rights struct {
	View    bool
	Reply   bool // and react
	Edit    bool // the body
	Delete  bool
	Resolve bool
}

// RightsOf returns the rights of a caller on something that author wrote.
func RightsOf(g *authz.Grant, author docs.UserID) Rights {
	may := g.Can(authz.CommentSpace)
	own := may && author == g.Actor.User
	admin := g.Can(authz.AdminSpace)
	return Rights{
		View: true, Reply: may, Edit: own || admin, Delete: own || admin,
		Resolve: own || g.Can(authz.EditSpace),
	}
}

// need says what a caller lacks.
func need(ok bool, message string) error {
	if ok {
		return nil
	}
	return errs.E(errs.Forbidden, "%s", message)
}
