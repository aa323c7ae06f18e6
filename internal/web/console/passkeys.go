package console

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// script asks the browser for passkeys, which only a script can do. Without it, users sign in by
// link.
var script = theme.NewAsset("console.js", "text/javascript; charset=utf-8", ownScript)

// reply sends a JSON response to the script.
func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have closed the connection
}

// refuse sends an error message for the user to the script.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	kind, text := h.explain(r, err)
	reply(w, kind.Status(), map[string]string{"error": text})
}

// askPasskey begins a sign-in by passkey.
func (h *Handler) askPasskey(w http.ResponseWriter, r *http.Request) {
	network := networkOf(r)
	ask, err := h.SignIn.BeginPasskeySignIn(r.Context(), network)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	reply(w, http.StatusOK, ask)
}

// usePasskey completes a sign-in by passkey.
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
	network := networkOf(v.r)
	made, err := h.SignIn.BeginPasskeyCreation(v.r.Context(), v.grant, network)
	if err != nil {
		h.refuse(v.w, v.r, err)
		return nil
	}
	reply(v.w, http.StatusOK, made)
	return nil
}

// addPasskey stores the passkey that the browser has created.
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
