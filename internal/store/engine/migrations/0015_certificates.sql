-- Certificates of the server and its sites, and what getting one needs: all nodes share them.

CREATE TABLE certificates (
    name       text_key PRIMARY KEY, -- of golang.org/x/crypto/acme/autocert
    sealed     TEXT     NOT NULL,    -- with the private key; internal/certs can open it
    updated_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
