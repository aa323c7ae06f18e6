// A real OpenID Connect provider, as a process of its own. It prints its issuer, reads the redirect
// URL of its client, and signs in whoever types an address; groups are those of GROUPS.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import Provider from 'oidc-provider';

const groups = (process.env.GROUPS ?? '').split(',').filter(Boolean);
const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;
console.log(issuer);
const [redirect] = await once(createInterface({ input: process.stdin }), 'line');
const provider = new Provider(issuer, {
    clients: [{ client_id: 'octavo', client_secret: 'very-secret', redirect_uris: [redirect] }],
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
    findAccount: (_, id) => ({
        accountId: id,
        claims: () => ({ sub: id, name: 'Eve Moss', email: id, email_verified: true, groups }),
    }),
    cookies: { keys: ['test'] },
});
server.on('request', provider.callback());
console.log('ready');
