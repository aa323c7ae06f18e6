// Single sign-on: a real identity provider in a process of its own, from the page where people sign in to the account.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { axeOn } from './access.mjs';

const MAIL = 'urn:oid:0.9.2342.19200300.100.1.3', GIVEN = 'urn:oid:2.5.4.42', SURNAME = 'urn:oid:2.5.4.4';

/** Starts the identity provider of the Go tests. */
async function startProvider() {
    const binary = process.env.OCTAVO_TEST_IDP;
    const child = binary
        ? spawn(binary, { stdio: ['ignore', 'pipe', 'ignore'] })
        : spawn('go', ['run', './internal/testing/testsaml/idp'], { cwd: '..', detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const base = await new Promise((done, fail) => {
        createInterface({ input: child.stdout }).once('line', done);
        child.once('error', fail);
        child.once('exit', () => fail(new Error('the identity provider ended')));
    });
    // With `go run` the provider is a child of the child.
    return { base, stop: () => (binary ? child.kill() : process.kill(-child.pid)) };
}

async function call(method, address, body) {
    const answer = await fetch(address, { method, body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status} ${text}`);
    return text;
}

export async function sso(run) {
    const idp = await startProvider();
    try {
        await play(run, idp.base);
    } finally {
        idp.stop();
    }
    await second(run);
}

/** An identity provider by other authors, in every way in which providers sign their answers. */
async function second(run) {
    const path = fileURLToPath(new URL('./saml-provider.mjs', import.meta.url));
    const child = spawn(process.execPath, ['--no-deprecation', path], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
        const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
        const base = (await lines.next()).value;
        const certificate = JSON.parse((await lines.next()).value);
        const claim = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
        const { items: [organization] } = await run.call('GET', '/orgs');
        const root = `/orgs/${organization.id}`;
        const team = await run.call('PUT', `${root}/teams`, { title: 'Writers at samlp', members: [] });
        for (const form of ['assertion', 'response', 'both']) {
            await run.test(`single sign-on: another provider signs ${form}`, async ({ open, check }) => {
                const provider = await run.call('POST', `${root}/saml`, {
                    label: `samlp ${form}`, entityID: base, ssoURL: `${base}/${form}`, certificate, defaultRole: 'read', signRequests: true,
                    attributes: { email: `${claim}/emailaddress`, firstName: `${claim}/givenname`, lastName: `${claim}/surname`, groups: 'http://schemas.passportjs.com/groups' },
                    groups: { writers: team.id },
                });
                const page = await open('/login', { policy: false });
                await page.goto(provider.service.startURL);
                if (await page.$('main button.do')) await page.click('main button.do');
                await page.waitForSelector('input[name=user]');
                await page.type('input[name=user]', `${form}@samlp.example`);
                await page.click('input[type=submit]');
                await page.waitForFunction((there) => location.href.startsWith(there), {}, run.base);
                await page.waitForSelector('main');
                check(new URL(page.url()).pathname === '/account', `at ${page.url()}: ${await page.$eval('main', (e) => e.textContent)}`);
                const { items: [member] } = await run.call('GET', `${root}/members?search=${form}@samlp.example`);
                check(member?.role === 'read' && member.sso === true && member.teams === 1, `the member is ${JSON.stringify(member)}`);
            });
        }
    } finally {
        child.kill();
    }
}

async function play(run, idp) {
    const { items: [organization] } = await run.call('GET', '/orgs');
    const root = `/orgs/${organization.id}`;
    const team = await run.call('PUT', `${root}/teams`, { title: 'By single sign-on', members: [] });
    const provider = await run.call('POST', `${root}/saml`, {
        label: 'samlidp', entityID: `${idp}/metadata`, ssoURL: `${idp}/sso`, certificate: await call('GET', `${idp}/certificate`),
        defaultRole: 'edit', defaultTeam: team.id, signRequests: true, attributes: { email: MAIL, firstName: GIVEN, lastName: SURNAME },
    });
    await call('PUT', `${idp}/services/octavo`, await call('GET', provider.service.entityID));
    await call('PUT', `${idp}/users/kay`, JSON.stringify({ name: 'kay', password: 'secret', email: 'kay@octavo.example', given_name: 'Kay', surname: 'McNulty' }));

    const members = async () => (await run.call('GET', `${root}/members?search=kay@octavo.example`)).items;
    const follow = async (page, selector) => Promise.all([page.waitForNavigation(), page.click(selector)]);
    /** Goes from the page where people sign in to the identity provider and, if it asks, through its form. */
    const signIn = async (page, password) => {
        await page.goto(`${run.base}/login`);
        await follow(page, '.other a');
        await page.type('#org', organization.id);
        await follow(page, 'main button');
        // samlidp answers with a page whose script sends the form.
        const back = () => page.waitForFunction((base) => location.href.startsWith(base), {}, run.base);
        await follow(page, 'main button.do'); // away from this server, so that back waits for the return
        if (password) {
            await page.waitForSelector('input[name=password]');
            await page.type('input[name=user]', 'kay');
            await page.type('input[name=password]', password);
            await page.click('input[type=submit]');
        }
        await back();
        await page.waitForSelector('main');
    };

    await run.test('single sign-on: first and second sign-in, and out', async ({ open, check }) => {
        const page = await open('/login');
        await signIn(page, 'secret');
        check(new URL(page.url()).pathname === '/account', `signed in, and at ${page.url()}: ${await page.$eval('main', (e) => e.textContent)}`);
        check((await page.content()).includes('Kay McNulty'), 'the account has another name');
        const [member] = await members();
        check(member?.role === 'edit' && member.sso === true && member.teams === 1, `the member is ${JSON.stringify(member)}`);

        await follow(page, 'header button');
        await page.goto(`${run.base}/account`);
        check(page.url().includes('/login'), 'the session goes on');
        await signIn(page); // the identity provider knows the browser
        check(new URL(page.url()).pathname === '/account', `the second time at ${page.url()}`);
        check((await members()).length === 1, 'the second sign-in made another member');
    });

    await run.test('single sign-on: the certificate changes', async ({ open, check }) => {
        await call('POST', `${idp}/rotate`);
        const page = await open('/login');
        await signIn(page, 'secret');
        check((await page.$eval('main', (e) => e.textContent)).includes('certificate'), 'the page does not say what is wrong');
        const { lastError } = await run.call('GET', `${root}/saml/${provider.id}`);
        check(lastError?.message.includes('Set the certificate'), `admins read ${JSON.stringify(lastError)}`);
        await run.call('PATCH', `${root}/saml/${provider.id}`, { certificate: provider.certificate + (await call('GET', `${idp}/certificate`)) });
        await signIn(page);
        check(new URL(page.url()).pathname === '/account', `with both certificates at ${page.url()}`);
    });

    await run.test('single sign-on is enforced', async ({ open, check }) => {
        await run.call('PATCH', root, { sso: true });
        try {
            const page = await open('/login', { policy: false });
            await page.goto(await run.loginLink('kay@octavo.example'));
            await follow(page, 'main button');
            const seen = () => page.evaluate(async (id) => (await fetch(`/v1/orgs/${id}`)).status, organization.id);
            check((await seen()) !== 200, 'a link by mail is enough');
            await page.goto(`${run.base}/account`);
            await follow(page, 'header button');
            await signIn(page, 'secret');
            check((await seen()) === 200, `single sign-on is not enough: ${await seen()}`);
        } finally {
            await run.call('PATCH', root, { sso: false });
        }
    });

    await run.test('axe-core on the pages of single sign-on', async ({ open, check }) => {
        const wrong = [];
        for (const path of ['/login/sso', `/login/sso?org=${organization.id}`, '/login/sso?org=nobody']) {
            wrong.push(...await axeOn(await open(path, { policy: false }), path));
        }
        check(wrong.length === 0, `\n  ${wrong.join('\n  ')}`);
    });
}
