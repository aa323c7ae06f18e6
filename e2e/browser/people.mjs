// People who sign in: the link of a mail, the account, and out again.

import { axeOn } from './access.mjs';
import { startOctavo } from './lib.mjs';

export async function people(run) {
    await run.test('sign in and account', async ({ open, check }) => {
        const page = await open('/account', { script: false });
        check(page.url().includes('/login?next='), `somebody unknown is at ${page.url()}`);
        await page.type('#email', 'ada@octavo.example');
        await Promise.all([page.waitForNavigation(), page.click('main button')]);
        check((await page.content()).includes('Look into your mail'), 'no word of a mail');

        await page.goto(await run.loginLink('ada@octavo.example'));
        await Promise.all([page.waitForNavigation(), page.click('main button')]);
        check(new URL(page.url()).pathname === '/account', `signed in, and at ${page.url()}`);
        check((await page.content()).includes('this browser'), 'the session is not listed');

        await page.type('#label', 'from the browser');
        await Promise.all([page.waitForNavigation(), page.click('#tokens ~ form.line button')]);
        const secret = await page.$eval('.secret code', (e) => e.textContent);
        const answer = await fetch(`${run.base}/v1/user`, { headers: { Authorization: `Bearer ${secret}` } });
        check(answer.status === 200, `the new token: ${answer.status}`);

        await Promise.all([page.waitForNavigation(), page.click('header button')]);
        check(new URL(page.url()).pathname === '/login', `signed out, and at ${page.url()}`);
        await page.goto(`${run.base}/account`);
        check(page.url().includes('/login'), 'the session goes on');
        check(page.wrong.length === 0, page.wrong.join('\n'));
    });

    await run.test('a first edit without a shell', async ({ open, check }) => {
        // The console itself runs no script; a program on our own origin does.
        const page = await open('/login', { policy: false });
        await page.goto(await run.loginLink('linus@octavo.example'));
        await Promise.all([page.waitForNavigation(), page.click('main button')]);
        const status = await page.evaluate(async () => {
            const json = async (path, init) => (await fetch(`/v1${path}`, init)).json();
            const { csrfToken } = await json('/user/session');
            const [org] = (await json('/orgs')).items;
            const spaces = (await json(`/orgs/${org.id}/spaces?limit=100`)).items;
            const space = spaces.find((s) => s.editMode === 'live');
            const body = JSON.stringify({ changes: [{ operation: 'insert_page', title: 'Mine', document: { markdown: 'Hello' } }] });
            const send = (headers) => fetch(`/v1/spaces/${space.id}/content`, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });
            return [(await send({})).status, (await send({ 'X-CSRF-Token': csrfToken })).status];
        });
        check(status[0] === 403 && status[1] === 200, `without and with the token of the session: ${status}`);
    });

    await run.test('a passkey', async ({ open, check }) => {
        // A passkey belongs to a name, so the server of this test has one.
        const named = await startOctavo('localhost:0');
        try {
            const page = await open(await named.loginLink('grace@octavo.example'), { policy: false });
            const devtools = await page.createCDPSession();
            await devtools.send('WebAuthn.enable');
            const authenticator = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
            await devtools.send('WebAuthn.addVirtualAuthenticator', { options: authenticator });
            await Promise.all([page.waitForNavigation(), page.click('main button')]);
            await page.type('#key', 'Laptop');
            await Promise.all([page.waitForNavigation(), page.click('form[data-passkey=add] button')]);
            check((await page.$eval('#passkeys ~ ul', (e) => e.textContent)).includes('Laptop'), 'the passkey is not listed');
            await page.click('form[data-passkey=add] button');
            await page.waitForSelector('form[data-passkey=add] [role=alert]:not([hidden])');
            check((await page.$eval('form[data-passkey=add] [role=alert]', (e) => e.textContent)).includes('already'), 'a second key of one device');

            await Promise.all([page.waitForNavigation(), page.click('header button')]);
            await page.goto(`${named.base}/login?next=%2Faccount%3Fdone%3Dprofile`);
            await Promise.all([page.waitForNavigation(), page.click('form[data-passkey=sign-in] button')]);
            check(page.url() === `${named.base}/account?done=profile`, `signed in by passkey, and at ${page.url()}`);
            const session = await page.evaluate(async () => (await fetch('/v1/user/session')).json());
            check(session.method === 'passkey', `the session is by ${session.method}`);
            check((await axeOn(page, '/account')).length === 0, 'axe-core finds something in the account');

            // A key that was removed signs nobody in.
            await Promise.all([page.waitForNavigation(), page.click('#passkeys ~ ul button')]);
            await Promise.all([page.waitForNavigation(), page.click('header button')]);
            await page.click('form[data-passkey=sign-in] button');
            await page.waitForSelector('form[data-passkey=sign-in] [role=alert]:not([hidden])');
            check((await page.$eval('form[data-passkey=sign-in] [role=alert]', (e) => e.textContent)).includes('does not work here'), 'a removed key');
            check(page.wrong.filter((w) => !w.includes('status of 403')).length === 0, page.wrong.join('\n'));
        } finally {
            await named.stop();
        }
    });

    await run.test('inbox', async ({ open, check }) => {
        const writer = await open('/login', { policy: false });
        await writer.goto(await run.loginLink('linus@octavo.example'));
        await Promise.all([writer.waitForNavigation(), writer.click('main button')]);
        const posted = await writer.evaluate(async () => {
            const json = async (path, init) => (await fetch(`/v1${path}`, init)).json();
            const { csrfToken } = await json('/user/session');
            const [org] = (await json('/orgs')).items;
            const grace = (await json(`/orgs/${org.id}/members?limit=100`)).items.find((m) => m.user.email === 'grace@octavo.example');
            const spaces = (await json(`/orgs/${org.id}/spaces?limit=100`)).items;
            const space = spaces.find((s) => s.editMode === 'live');
            const body = JSON.stringify({ body: { markdown: `What does [Grace](/users/${grace.id}) think?` } });
            return (await fetch(`/v1/spaces/${space.id}/comments`, { method: 'POST', body, headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': csrfToken } })).status;
        });
        check(posted === 200, `the comment: ${posted}`);

        const page = await open('/login', { script: false });
        await page.goto(await run.loginLink('grace@octavo.example'));
        await Promise.all([page.waitForNavigation(), page.click('main button')]);
        for (let i = 0; i < 300 && !(await page.content()).includes('mentioned you'); i++) { // a job writes it
            await new Promise((wait) => setTimeout(wait, 200));
            await page.goto(`${run.base}/inbox`);
        }
        check((await page.content()).includes('What does Grace think?'), 'the mention is not in the inbox');
        check(await page.$('li.unread .dot') !== null, 'nothing is unread');
        await Promise.all([page.waitForNavigation(), page.click('.head button')]);
        check((await page.content()).includes('Nothing unread'), 'something is unread');
        await Promise.all([page.waitForNavigation(), page.click('.rows button')]);
        check((await page.content()).includes('1 unread'), 'it is not unread again');
        await page.goto(`${run.base}/account`);
        await page.select('#kind-mentioned', 'digest');
        await Promise.all([page.waitForNavigation(), page.click('#notifications ~ form button')]);
        check(await page.$eval('#kind-mentioned', (e) => e.value) === 'digest', 'the choice is not stored');
        check(page.wrong.length === 0, page.wrong.join('\n'));
    });

    await things(run);

    for (const dark of [false, true]) {
        await run.test(`axe-core on the console, ${dark ? 'dark' : 'light'}`, async ({ open, check }) => {
            const wrong = [];
            const page = await open('/login', { dark, policy: false });
            wrong.push(...await axeOn(page, '/login'));
            await page.goto(await run.loginLink('grace@octavo.example'));
            wrong.push(...await axeOn(page, '/login/link'));
            await Promise.all([page.waitForNavigation(), page.click('main button')]);
            wrong.push(...await axeOn(page, '/account'));
            await page.goto(`${run.base}/inbox`);
            wrong.push(...await axeOn(page, '/inbox'));
            await page.setViewport({ width: 360, height: 720 });
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            check(wide <= 360, `the inbox is ${wide} wide on a phone`);
            check(wrong.length === 0, `\n  ${wrong.join('\n  ')}`);
        });
    }
}

/** The pages of an organization, a space and a change request, which links of the inbox lead to. */
async function things(run) {
    await run.reviewed();
    const { items: [organization] } = await run.call('GET', '/orgs');
    const { items: requests } = await run.call('GET', `/orgs/${organization.id}/change-requests?status=draft&limit=100`);
    const request = requests.find((r) => r.subject === 'Better words');
    const { items: spaces } = await run.call('GET', `/orgs/${organization.id}/spaces`);
    for (const dark of [false, true]) {
        await run.test(`pages for members, ${dark ? 'dark' : 'light'}`, async ({ open, check }) => {
            const page = await open(new URL(request.urls.app).pathname, { dark, policy: false, script: true });
            check(new URL(page.url()).pathname === '/login', `without a session: ${page.url()}`);
            await page.goto(await run.loginLink('ada@octavo.example'));
            await Promise.all([page.waitForNavigation(), page.click('main button')]);
            const wrong = [];
            for (const app of [`${run.base}/o/${organization.id}`, ...spaces.slice(0, 3).map((s) => s.urls.app), request.urls.app]) {
                await page.setViewport({ width: 1280, height: 900 });
                const answer = await page.goto(app);
                check(answer.status() === 200, `${app}: ${answer.status()}`);
                wrong.push(...await axeOn(page, app));
                await page.setViewport({ width: 360, height: 720 });
                const wide = await page.evaluate(() => document.documentElement.scrollWidth);
                check(wide <= 360, `${app} is ${wide} wide on a phone`);
            }
            check(await page.$('ins') !== null && (await page.content()).includes('Better words'), 'the changes are not marked');
            check(page.wrong.length === 0, page.wrong.join('\n'));
            check(wrong.length === 0, `\n  ${wrong.join('\n  ')}`);
        });
    }
}
