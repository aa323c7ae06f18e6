// Sign-in through OpenID Connect, with a real provider: a member with role and team, a second
// time, out, and gone when the directory says so.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the provider and returns its issuer, a function that names its client, and one that stops it. */
async function startProvider() {
    const path = fileURLToPath(new URL('./oidc-provider.mjs', import.meta.url));
    const child = spawn(process.execPath, [path], { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, GROUPS: 'writers' } });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => (await lines.next()).value;
    const issuer = await next();
    return {
        issuer,
        async register(redirect) {
            child.stdin.write(`${redirect}\n`);
            while (await next() !== 'ready');
        },
        async stop() {
            child.kill();
            await once(child, 'exit');
        },
    };
}

/** Signs somebody in at the provider, whose pages ask for a name and for consent. */
async function signInAt(page, email) {
    if (await page.$('input[name=login]')) {
        await page.type('input[name=login]', email);
        await page.type('input[name=password]', 'x');
        await Promise.all([page.waitForNavigation(), page.click('button[type=submit]')]);
    }
    while (!page.url().includes('/account') && await page.$('button[type=submit]')) {
        await Promise.all([page.waitForNavigation(), page.click('button[type=submit]')]);
    }
}

export async function oidc(run) {
    await run.test('OpenID Connect and SCIM', async ({ open, check }) => {
        const headers = { Authorization: `Bearer ${run.token}`, 'Content-Type': 'application/json' };
        const call = async (method, path, body) => {
            const answer = await fetch(`${run.base}${path}`, { method, headers, body: body && JSON.stringify(body) });
            if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
            return answer.status === 204 || answer.status === 205 ? undefined : answer.json();
        };
        const idp = await startProvider();
        try {
            const [org] = (await call('GET', '/v1/orgs')).items;
            const team = await call('PUT', `/v1/orgs/${org.id}/teams`, { title: 'Writers of the provider' });
            const provider = await call('POST', `/v1/orgs/${org.id}/oidc`, {
                label: 'Login', issuer: idp.issuer, clientId: 'octavo', clientSecret: 'very-secret', defaultRole: 'edit',
                groupsClaim: 'groups', groups: { writers: team.id },
            });
            await idp.register(provider.redirectURL);

            const page = await open('/login', { policy: false });
            const begin = async () => { await page.goto(provider.startURL); await Promise.all([page.waitForNavigation(), page.click('main button')]); };
            await begin();
            check(page.url().startsWith(idp.issuer), `begun, and at ${page.url()}`);
            await signInAt(page, 'eve@octavo.example');
            check(new URL(page.url()).pathname === '/account', `signed in, and at ${page.url()}: ${(await call('GET', `/v1/orgs/${org.id}/oidc/${provider.id}`)).lastError}`);

            const find = async () => (await call('GET', `/scim/v2/${org.id}/Users?filter=${encodeURIComponent('userName eq "eve@octavo.example"')}`)).Resources[0];
            const eve = await find();
            check(eve.roles[0].value === 'edit' && eve.displayName === 'Eve Moss', `the member is ${JSON.stringify(eve)}`);
            const group = await call('GET', `/scim/v2/${org.id}/Groups/${team.id}`);
            check(group.members?.[0]?.value === eve.id, `the team has ${JSON.stringify(group.members)}`);

            await Promise.all([page.waitForNavigation(), page.click('header button')]);
            check(new URL(page.url()).pathname === '/login', `signed out, and at ${page.url()}`);
            await begin(); // the provider knows who it is
            await signInAt(page, 'eve@octavo.example');
            check(new URL(page.url()).pathname === '/account', `a second time, and at ${page.url()}`);
            check((await find()).id === eve.id, 'a second account was made');

            await call('PATCH', `/scim/v2/${org.id}/Users/${eve.id}`, { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] });
            await page.goto(`${run.base}/account`);
            check(page.url().includes('/login'), 'somebody who left is signed in');
            await begin();
            await signInAt(page, 'eve@octavo.example');
            check(!page.url().includes('/account'), 'somebody who left signs in again');
        } finally {
            await idp.stop();
        }
    });
}
