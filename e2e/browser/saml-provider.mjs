// A second identity provider, of other authors than that of the Go tests (auth0's samlp), as a
// process of its own. It prints its address and its certificate as JSON, and signs in whoever
// types an address. The path of the sign-in says what it signs: assertion, response or both.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import samlp from 'samlp';

const folder = mkdtempSync(join(tmpdir(), 'octavo-samlp-'));
const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=samlp', '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
const [key, cert] = [keyFile, certFile].map((name) => readFileSync(name));
rmSync(folder, { recursive: true });

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const base = `http://127.0.0.1:${server.address().port}`;

const signed = { '/assertion': { signAssertion: true, signResponse: false }, '/response': { signAssertion: false, signResponse: true }, '/both': { signAssertion: true, signResponse: true } };

const text = (s) => String(s).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The address of the service is in the request; a real provider compares it with its metadata. this is what the answer is made of. */
function postURL(_audience, request, _req, done) {
    this.destination = this.recipient = request.documentElement.getAttribute('AssertionConsumerServiceURL');
    done(null, this.recipient);
}

function answer(req, res, url) {
    const query = Object.fromEntries(url.searchParams);
    const html = (body) => { res.setHeader('Content-Type', 'text/html; charset=utf-8'); res.end(body); };
    if (!query.user) {
        const kept = Object.entries(query).map(([k, v]) => `<input type="hidden" name="${text(k)}" value="${text(v)}">`);
        html(`<title>Sign in</title><form><input name="user"><input type="submit">${kept.join('')}</form>`);
        return;
    }
    Object.assign(req, { query, originalUrl: req.url });
    Object.assign(res, { set: (name, value) => res.setHeader(name, value), send: (body) => html(body) });
    const [name] = query.user.split('@');
    samlp.auth({
        issuer: base, cert, key, getPostURL: postURL, ...signed[url.pathname],
        getUserFromRequest: () => ({
            id: query.user, emails: [{ value: query.user }], displayName: name, name: { givenName: name, familyName: 'Second' }, groups: ['writers'],
        }),
    })(req, res, (error) => { res.statusCode = 500; html(text(error.stack)); });
}

server.on('request', (req, res) => {
    const url = new URL(req.url, base);
    if (!signed[url.pathname]) {
        res.statusCode = 404;
        res.end();
        return;
    }
    answer(req, res, url);
});
console.log(base);
console.log(JSON.stringify(cert.toString()));
