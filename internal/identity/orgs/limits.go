package orgs

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Maximum numbers of what users and organizations can create.
const (
	MaxTokens          = 200 // per user
	MaxServiceAccounts = 200 // per organization
)

// Limits are how often something can be done within 24 hours that sends mails to addresses that
// somebody chose, or gives more right to it. The operator sets them; 0 means no limit.
type Limits struct {
	Invitations      int // mailed by an organization, and by an account for all organizations
	YoungInvitations int // mailed by an organization in its first week
	Organizations    int // created by an account
}

// Limits that the operator does not set, also within 24 hours.
const (
	maxAgain     = 3  // times that an organization mails an invitation to a member again
	maxInvited   = 5  // invitations of all organizations that are mailed to a person
	maxAddresses = 10 // new addresses of an account that get a link
)

// youngTime is how long an organization is young. Those that the operator has made never are.
const youngTime = 7 * 24 * time.Hour

// allowance is something that can be done only so often within 24 hours. The database counts, so
// limits hold for all nodes together.
type allowance struct {
	name string
	text string // of the error, with the limit
}

var (
	orgInvites     = allowance{"invite", "an organization can send %d invitations in 24 hours (--invitations-per-day of the server)"}
	youngInvites   = allowance{"invite", "an organization that is younger than a week can send %d invitations in 24 hours (--young-invitations-per-day of the server)"}
	accountInvites = allowance{"invite", "an account can send %d invitations in 24 hours, in all organizations together (--invitations-per-day of the server)"}
	invitesAgain   = allowance{"invite-again", "a member can be invited again %d times in 24 hours"}
	newOrgs        = allowance{"organization", "an account can create %d organizations in 24 hours (--organizations-per-day of the server)"}
	newAddresses   = allowance{"address", "an account can ask for %d new addresses in 24 hours"}
)

// take counts n uses of an allowance by who, or returns an error that says how long to wait.
func (a allowance) take(ctx context.Context, tx *store.Tx, by authz.Actor, who string, n, most int) error {
	if most == 0 || n == 0 || !limited(by.Request) {
		return nil
	}
	left, wait, err := tx.Spend(ctx, store.Allowance{Who: who, What: a.name, Most: most}, n)
	if err != nil || wait == 0 {
		return err
	}
	e := errs.E(errs.TooMany, a.text+"; %s are left now, and more in %s", most, number(left), inWords(wait))
	e.After = wait
	if n > most {
		e = errs.E(errs.TooMany, a.text+", so %d at once are never possible; send at most %d at once, of which %s are left now", most, n, most, number(left))
		e.After = errs.Never
	}
	return e
}

func number(n int) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n)
}

// limited reports whether a request is limited: that of an account, but not that of the operator at
// the command line, and neither background work, which sends no invitations.
func limited(request string) bool { return request != "" && request != authz.CommandLine }

// inWords returns a time to wait, rounded up.
func inWords(d time.Duration) string {
	if d <= time.Minute {
		return "a minute"
	}
	if d <= time.Hour {
		return fmt.Sprintf("%d minutes", int((d+time.Minute-1)/time.Minute))
	}
	return fmt.Sprintf("%d hours", int((d+time.Hour-1)/time.Hour))
}

// limitInvitations counts n invitations that an account sends for an organization. Each is a mail
// to somebody who has not requested it.
func (s *Members) limitInvitations(ctx context.Context, tx *store.Tx, by authz.Actor, org docs.OrgID, n int) error {
	of, most := orgInvites, s.limits.Invitations
	if young := s.limits.YoungInvitations; young > 0 && (most == 0 || young < most) {
		is, err := isYoung(ctx, tx, org)
		if err != nil {
			return err
		}
		if is {
			of, most = youngInvites, young
		}
	}
	if err := of.take(ctx, tx, by, string(org), n, most); err != nil {
		return err
	}
	return accountInvites.take(ctx, tx, by, string(by.User), n, s.limits.Invitations)
}

func isYoung(ctx context.Context, tx *store.Tx, org docs.OrgID) (bool, error) {
	o, err := tx.Organization(ctx, org)
	if err != nil || tx.Now().Std().Sub(o.CreatedAt.Std()) >= youngTime {
		return false, err
	}
	made, err := tx.FirstAudit(ctx, org, o.CreatedAt, orgCreated)
	if errs.Is(err, errs.NotFound) {
		return true, nil
	}
	return limited(made.Request), err
}

// limitAgain counts an invitation that an organization sends to a member again.
func limitAgain(ctx context.Context, tx *store.Tx, by authz.Actor, org docs.OrgID, user docs.UserID) error {
	of := invitesAgain
	of.name += " " + string(org)
	return of.take(ctx, tx, by, string(user), 1, maxAgain)
}

// LimitAddress counts a new address that a user asks for. It gets a mail whether or not it has an account.
func LimitAddress(ctx context.Context, tx *store.Tx, by authz.Actor) error {
	return newAddresses.take(ctx, tx, by, string(by.User), 1, maxAddresses)
}
