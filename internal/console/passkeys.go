package console

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/signin"
	"github.com/octavo-docs/octavo/internal/theme"
)

// Passkeys need a script: only it can ask the browser for one. Without it, there are links.
var script = theme.NewAsset("console.js", "text/javascript; charset=utf-8", must(web.ReadFile("web/console.js")))

// reply sends JSON to the script.
func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // to somebody who has gone
}

// refuse answers the script with what went wrong, for the person.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	kind, text := h.explain(r, err)
	reply(w, kind.Status(), map[string]string{"error": text})
}

// askPasskey begins to sign in by passkey.
func (h *Handler) askPasskey(w http.ResponseWriter, r *http.Request) {
	network, _ := networksOf(r)
	ask, err := h.SignIn.BeginPasskeySignIn(r.Context(), network)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	reply(w, http.StatusOK, ask)
}

// usePasskey signs somebody in.
func (h *Handler) usePasskey(w http.ResponseWriter, r *http.Request) {
	answer, err := io.ReadAll(r.Body)
	if err != nil {
		h.refuse(w, r, errs.E(errs.Invalid, "the answer of the browser cannot be read; try again"))
		return
	}
	s, err := h.SignIn.UsePasskey(r.Context(), answer, client(w, r))
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	http.SetCookie(w, h.newCookie(s.Secret, s.Until))
	reply(w, http.StatusOK, map[string]string{"next": orAccount(signin.LocalPath(r.URL.Query().Get("next")))})
}

// beginPasskey begins to add a passkey.
func (h *Handler) beginPasskey(v *visit) error {
	network, _ := networksOf(v.r)
	made, err := h.SignIn.BeginPasskeyCreation(v.r.Context(), v.grant, network)
	if err != nil {
		h.refuse(v.w, v.r, err)
		return nil
	}
	reply(v.w, http.StatusOK, made)
	return nil
}

// addPasskey adds the passkey that the browser has made.
func (h *Handler) addPasskey(v *visit) error {
	label := v.value("label")
	if n := len([]rune(label)); n == 0 || n > 50 {
		label = browser(v.r.UserAgent())
	}
	if err := h.SignIn.AddPasskey(v.r.Context(), v.grant, label, []byte(v.value("answer"))); err != nil {
		h.refuse(v.w, v.r, err)
		return nil
	}
	reply(v.w, http.StatusOK, map[string]string{"next": "/account?done=passkey"})
	return nil
}

func (h *Handler) removePasskey(v *visit) error {
	if err := h.SignIn.RemovePasskey(v.r.Context(), v.grant, v.value("passkey")); err != nil {
		return err
	}
	return v.done("passkey-removed")
}
