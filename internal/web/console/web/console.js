// Passkeys: only a script can ask a browser for one. Everything else works without it.
'use strict';

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

/** Sends something and returns the answer, or throws what went wrong. */
async function send(path, body) {
    const answer = await fetch(path, { method: 'POST', body });
    const json = await answer.json().catch(() => ({ error: 'Something went wrong. Try again.' }));
    if (!answer.ok) throw new Error(json.error);
    return json;
}

/** Returns a credential as the server reads it. */
function plain(made) {
    const { response } = made;
    const out = {};
    for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']) {
        if (response[name]) out[name] = text(response[name]);
    }
    if (response.getTransports) out.transports = response.getTransports();
    return JSON.stringify({
        id: made.id, rawId: text(made.rawId), type: made.type, response: out,
        authenticatorAttachment: made.authenticatorAttachment ?? undefined, clientExtensionResults: made.getClientExtensionResults(),
    });
}

async function signIn(form) {
    const { publicKey } = await send('/login/passkey/ask');
    publicKey.challenge = bytes(publicKey.challenge);
    const made = await navigator.credentials.get({ publicKey });
    return send(`/login/passkey?next=${encodeURIComponent(form.dataset.next)}`, plain(made));
}

async function add(form) {
    const csrf = form.elements.csrf.value;
    const { publicKey } = await send('/account/passkeys/ask', new URLSearchParams({ csrf }));
    publicKey.challenge = bytes(publicKey.challenge);
    publicKey.user.id = bytes(publicKey.user.id);
    for (const known of publicKey.excludeCredentials ?? []) known.id = bytes(known.id);
    const made = await navigator.credentials.create({ publicKey });
    return send('/account/passkeys', new URLSearchParams({ csrf, label: form.elements.label.value, answer: plain(made) }));
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
    if (!window.PublicKeyCredential) continue;
    form.hidden = false;
    form.addEventListener('submit', async (event) => {
        event.preventDefault();
        const wrong = form.querySelector('[role=alert]');
        const button = form.querySelector('button');
        wrong.hidden = true;
        button.disabled = true;
        try {
            const { next } = await (form.dataset.passkey === 'add' ? add(form) : signIn(form));
            location.assign(next);
        } catch (error) {
            // A person who closes the dialog of the browser knows that.
            if (error.name !== 'NotAllowedError' && error.name !== 'AbortError') {
                wrong.textContent = error.name === 'InvalidStateError' ? 'This device has a passkey of yours already.' : error.message;
                wrong.hidden = false;
            }
            button.disabled = false;
        }
    });
}
