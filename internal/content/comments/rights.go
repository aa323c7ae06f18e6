package comments

import (
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Rights are the rights of a caller on a comment or a reply. They are defined only here:
// both the checks of changes and the permissions in responses use them.
//
//	see              everybody who can see the space
//	reply, react     everybody who may comment on the space
//	edit, delete     the author, while they may comment; everybody who may change the space
//	resolve, reopen  the author of the comment, while they may comment; everybody who may
//	                 edit the space
type Rights struct {
	View    bool
	Reply   bool // and react
	Edit    bool // the body
	Delete  bool
	Resolve bool
}

// RightsOf returns the rights of a caller on a comment or a reply of an author.
func RightsOf(g *authz.Grant, author docs.UserID) Rights {
	may := g.Can(authz.CommentSpace)
	own := may && author == g.Actor.User
	admin := g.Can(authz.AdminSpace)
	return Rights{
		View: true, Reply: may, Edit: own || admin, Delete: own || admin,
		Resolve: own || g.Can(authz.EditSpace),
	}
}

// forbidUnless returns a Forbidden error with a message unless ok is true.
func forbidUnless(ok bool, message string) error {
	if ok {
		return nil
	}
	return errs.E(errs.Forbidden, "%s", message)
}
