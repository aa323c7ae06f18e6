package console

import (
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/oidc"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// accountData is the data of the account page.
type accountData struct {
	User     docs.User
	Current  docs.TokenID
	Sessions []docs.Token
	Tokens   []docs.Token
	Orgs     []docs.Organization
	Passkeys []docs.Passkey
	Secret   string // of a token that was just created
	Provider *providerData
	Linked   []linkedData
	Kinds    []kindChoice
	Digest   docs.Digest
}

// linkedData is an identity that is linked to the account.
type linkedData struct {
	docs.Identity
	Label string // of the provider
}

// account shows the account of the user.
func (h *Handler) account(v *visit) error {
	notice := map[string]string{
		"profile": "Your profile was changed.", "session": "That session has ended.", "token": "That token is revoked.", "passkey": "You can sign in with your new passkey.", "passkey-removed": "That passkey is removed here. Delete it on your device too.",
		"unlinked":      "That identity does not sign in to your account any more.",
		"linked":        "You can sign in through the provider from now on.",
		"notifications": "Your choice of notifications is stored.",
		"email":         "Look into the mail of the new address: the link there makes it yours.",
	}[v.r.URL.Query().Get("done")]
	return h.showAccount(v, notice, "")
}

func (h *Handler) showAccount(v *visit, notice, secret string) (err error) {
	g := v.grant
	ctx := v.r.Context()
	d := accountData{Current: g.Actor.Token, Secret: secret}
	if d.User, err = h.Orgs.Accounts.Me(ctx, g); err != nil {
		return err
	}
	if d.Sessions, err = h.SignIn.NewestSessions(ctx, g); err != nil {
		return err
	}
	if d.Tokens, _, err = h.Orgs.Tokens.List(g).Page(ctx, store.Page{Limit: orgs.MaxTokens}); err != nil {
		return err
	}
	if d.Passkeys, err = h.SignIn.Passkeys(ctx, g); err != nil {
		return err
	}
	mine, _, err := h.Orgs.Organizations.List(g).Page(ctx, store.Page{Limit: maxOrgs})
	if err != nil {
		return err
	}
	if p, ok := h.OIDC.Instance(); ok && g.Actor.RequireFullAccount() == nil {
		d.Provider = &providerData{p.Label, oidc.LinkPath(p.ID)}
	}
	if d.Linked, err = h.linked(v); err != nil {
		return err
	}
	for _, o := range mine {
		d.Orgs = append(d.Orgs, o.Org)
	}
	chosen, err := h.Inbox.Settings(ctx, g)
	if err != nil {
		return err
	}
	d.Kinds, d.Digest = kindChoices(chosen), chosen.Digest
	h.show(v.w, http.StatusOK, "account", page{Title: "Your account", CSRF: signin.CSRF(v.secret), Notice: notice, Data: d})
	return nil
}

// maxOrgs is the maximum number of organizations on the page.
const maxOrgs = 100

// done redirects to the account page, which shows a message about what was done.
func (v *visit) done(what string) error {
	http.Redirect(v.w, v.r, "/account?done="+what, http.StatusSeeOther)
	return nil
}

func (v *visit) value(name string) string { return strings.TrimSpace(v.r.PostForm.Get(name)) }

// linked returns the identities that are linked to the account. The operator may have replaced the
// provider of an identity since.
func (h *Handler) linked(v *visit) ([]linkedData, error) {
	all, err := h.SignIn.Identities(v.r.Context(), v.grant)
	current, _ := h.OIDC.Instance()
	var out []linkedData
	for _, id := range all {
		label := "A former provider"
		if id.Provider == string(current.ID) {
			label = current.Label
		}
		out = append(out, linkedData{id, label})
	}
	return out, err
}

func (h *Handler) unlink(v *visit) error {
	if err := h.SignIn.Unlink(v.r.Context(), v.grant, v.r.PostForm.Get("provider"), v.r.PostForm.Get("subject")); err != nil {
		return err
	}
	return v.done("unlinked")
}

func (h *Handler) profile(v *visit) error {
	name := v.value("name")
	if n := len([]rune(name)); n == 0 || n > 64 {
		return errs.E(errs.Invalid, "Your name must have 1 to 64 characters.")
	}
	if _, err := h.Orgs.Accounts.Update(v.r.Context(), v.grant, v.grant.Actor.User, orgs.UserPatch{DisplayName: opt.Of(name)}); err != nil {
		return err
	}
	return v.done("profile")
}

func (h *Handler) email(v *visit) error {
	if err := h.SignIn.ChangeEmail(v.r.Context(), v.grant, v.value("email")); err != nil {
		return err
	}
	return v.done("email")
}

// endSession ends one session, or all of them.
func (h *Handler) endSession(v *visit) error {
	if v.value("session") == "" {
		if err := h.SignIn.EndAllSessions(v.r.Context(), v.grant); err != nil {
			return err
		}
		http.Redirect(v.w, v.r, "/login", http.StatusSeeOther)
		return nil
	}
	if err := h.SignIn.EndSession(v.r.Context(), v.grant, docs.TokenID(v.value("session"))); err != nil {
		return err
	}
	return v.done("session")
}

// createToken creates a token and shows its secret, which is shown only once.
func (h *Handler) createToken(v *visit) error {
	label := v.value("label")
	if n := len([]rune(label)); n == 0 || n > 50 {
		return errs.E(errs.Invalid, "Give the token a name of 1 to 50 characters, so that you know it again.")
	}
	in := orgs.NewToken{Label: label}
	if v.value("access") == "read" {
		in.Scopes = docs.Scopes{docs.ScopeRead}
	}
	_, secret, err := h.Orgs.Tokens.Create(v.r.Context(), v.grant, in)
	if err != nil {
		return err
	}
	return h.showAccount(v, "", secret)
}

func (h *Handler) revokeToken(v *visit) error {
	if err := h.Orgs.Tokens.Revoke(v.r.Context(), v.grant, docs.TokenID(v.value("token"))); err != nil {
		return err
	}
	return v.done("token")
}

// deleteAccount deletes the account of the user, who must type its address.
func (h *Handler) deleteAccount(v *visit) error {
	if err := h.Orgs.Accounts.DeleteMe(v.r.Context(), v.grant, v.value("email")); err != nil {
		return err
	}
	h.dropCookie(v)
	h.show(v.w, http.StatusOK, "deleted", page{Title: "Your account is deleted"})
	return nil
}

// day formats a time for display.
func day(t docs.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Std().UTC().Format("2 January 2006, 15:04 UTC")
}

// browser returns a short name for a User-Agent header: the browser and the operating system. The
// header itself is too long for people.
func browser(agent string) string {
	pick := func(names ...string) string {
		for i := 0; i < len(names); i += 2 {
			if strings.Contains(agent, names[i]) {
				return names[i+1]
			}
		}
		return ""
	}
	name := pick("Edg/", "Edge", "OPR/", "Opera", "Firefox/", "Firefox", "Chrome/", "Chrome", "Safari/", "Safari", "curl/", "curl")
	system := pick("Android", "Android", "iPhone", "iPhone", "iPad", "iPad", "Windows", "Windows", "Mac OS", "macOS", "CrOS", "ChromeOS", "Linux", "Linux")
	switch {
	case name == "" && system == "":
		return "Unknown browser"
	case name == "" || system == "":
		return name + system
	}
	return name + " on " + system
}
