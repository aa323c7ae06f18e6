-- Keys with which people sign in instead of by mail.

CREATE TABLE passkeys (
    id           text_key PRIMARY KEY, -- of the credential, in base64url
    user_id      text_key NOT NULL REFERENCES users (id),
    label        TEXT     NOT NULL,
    credential   TEXT     NOT NULL,    -- public key, counter and flags, as JSON
    created_at   BIGINT   NOT NULL,
    last_used_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX passkeys_user ON passkeys (user_id, created_at, id);

-- What an authenticator was asked to sign; each can be used once.
CREATE TABLE passkey_challenges (
    hash       text_key PRIMARY KEY,
    data       TEXT     NOT NULL, -- what the answer is compared with, as JSON
    expires_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX passkey_challenges_age ON passkey_challenges (expires_at);
