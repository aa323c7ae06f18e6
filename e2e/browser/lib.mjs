// A browser beside the program: pages that tell what went wrong in them.

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import puppeteer from 'puppeteer-core';

const run = promisify(execFile);

// Only a failure waits so long: a machine may be much slower than ours.
const READY_WITHIN = 300_000, DONE_WITHIN = 180_000;

/** Starts the program with its demonstration. Returns its address, a token and a way to stop it. */
export async function startOctavo(listen = '127.0.0.1:0') {
    const data = await mkdtemp(join(tmpdir(), 'octavo-browser-'));
    const binary = resolve(process.env.OCTAVO_BIN ?? '../bin/octavo');
    const server = spawn(binary, ['serve', '--demo', '--data', data, '--listen', listen, '--outbound-allow', '127.0.0.1', '--try-it', '--try-it-allow', '127.0.0.1'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const ended = new Promise((done) => server.on('exit', done));
    const found = new Promise((done, fail) => {
        const look = (chunk) => {
            output += chunk;
            const base = /API\s+(http:\S+)\/v1\n/.exec(output)?.[1];
            const token = /Token\s+(\S+)/.exec(output)?.[1];
            if (base && token) done({ base, token });
        };
        server.stdout.on('data', look);
        server.stderr.on('data', look);
        setTimeout(() => fail(new Error(`the server is not ready:\n${output}`)), READY_WITHIN).unref();
        ended.then(() => fail(new Error(`the server ended:\n${output}`)));
    });
    const stop = async () => {
        server.kill('SIGTERM');
        await ended;
        await rm(data, { recursive: true, force: true });
    };
    try {
        const ready = await found;
        return { ...ready, binary, data, loginLink: (email) => loginLink(binary, data, ready.base, email), stop };
    } catch (error) {
        await stop();
        throw error;
    }
}

/** Returns a link with which somebody signs in, as an operator makes it. */
async function loginLink(binary, data, base, email) {
    const { stdout } = await run(binary, ['user', 'login-link', '--data', data, '--email', email, '--base-url', base]);
    return stdout.trim();
}

export async function startBrowser() {
    const executablePath = process.env.OCTAVO_TEST_CHROMIUM ?? '/usr/bin/chromium';
    return puppeteer.launch({ executablePath, headless: executablePath.endsWith('headless-shell') ? 'shell' : true, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'], protocolTimeout: 600_000, timeout: READY_WITHIN });
}

/** The browser and the server of a run, and what was found wrong. */
export class Run {
    failures = [];
    checks = 0;

    constructor(browser, { base, token, binary, data, loginLink }) {
        Object.assign(this, { browser, base, token, binary, data, loginLink });
    }

    /** Plays one test. Whatever it throws is a failure, and the next one goes on. */
    async test(name, play) {
        const context = await this.browser.createBrowserContext();
        await context.overridePermissions(this.base, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']).catch(() => {});
        try {
            await play({ open: (path, options) => this.#open(context, path, options), check: this.check.bind(this) });
        } catch (error) {
            // The line of the test, which is the last of this folder: checks are called from there.
            const [place = ''] = error.stack?.match(/browser\/(?!lib\.mjs)[\w-]+\.mjs:\d+/) ?? [];
            this.failures.push(`${name}: ${error.message}`);
            console.log(`browser: FAILED ${name} (${place}): ${error.message}`);
        } finally {
            await context.close();
        }
    }

    /** Calls the API as the owner of the demonstration. */
    async call(method, path, body) {
        const answer = await fetch(`${this.base}/v1${path}`, {
            method, headers: { authorization: `Bearer ${this.token}`, ...(body ? { 'content-type': 'application/json' } : {}) }, body: body && JSON.stringify(body),
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        return text ? JSON.parse(text) : undefined;
    }

    /**
     * Makes a site with a change request that adds, edits and removes something. Returns the address
     * at which a member sees a page of it with its changes.
     */
    async reviewed() {
        const { items: [organization] } = await this.call('GET', '/orgs');
        const space = await this.call('POST', `/orgs/${organization.id}/spaces`, { title: 'Reviewed', editMode: 'live' });
        const before = 'The first paragraph stays.\n\nThe second one has an old word.\n\n```js\nconst a = 1;\n```\n\n| A | B |\n| - | - |\n| 1 | 2 |\n\nGone soon.\n';
        await this.call('POST', `/spaces/${space.id}/content`, { changes: [{ operation: 'insert_page', title: 'Changing', slug: 'changing', document: { markdown: before } }] });
        const { pages } = await this.call('GET', `/spaces/${space.id}/content`);
        const site = await this.call('POST', `/orgs/${organization.id}/sites`, { title: 'Reviewed', type: 'ultimate', visibility: 'public', spaces: [space.id] });
        await this.call('POST', `/orgs/${organization.id}/sites/${site.id}/publish`, {});
        const { id, number } = await this.call('POST', `/spaces/${space.id}/change-requests`, { subject: 'Better words' });
        const after = before.replace('old word', 'new word').replace('\n\nGone soon.', '').replace('const a = 1;', 'const a = 2;') + '\nAnd this is added.\n';
        await this.call('POST', `/spaces/${space.id}/change-requests/${id}/content`, {
            changes: [
                { operation: 'update_page', page: pages.find((p) => p.slug === 'changing').id, document: { markdown: after } },
                { operation: 'insert_page', title: 'Added', slug: 'added', document: { markdown: 'New.' } },
            ],
        });
        const preview = new URL((await this.call('GET', `/orgs/${organization.id}/sites/${site.id}/publishing/preview`)).url);
        preview.pathname += `~/changes/${number}/changing`;
        preview.searchParams.set('diff', '');
        return String(preview);
    }

    check(holds, what) {
        this.checks++;
        if (!holds) throw new Error(what);
    }

    /** Opens a page. Errors in its console, and requests to other hosts, are collected in page.wrong. */
    async #open(context, path, { width = 1280, height = 900, dark = false, script = true, policy = true, before, waitUntil = 'load' } = {}) {
        const page = await context.newPage();
        const address = /^(https?|file):/.test(path) ? path : this.base + path;
        const { host, protocol } = new URL(address);
        page.setDefaultTimeout(DONE_WITHIN);
        page.wrong = [];
        page.on('console', (m) => m.type() === 'error' && page.wrong.push(`console: ${m.text()} ${m.location().url ?? ''}`.trim()));
        page.on('pageerror', (e) => page.wrong.push(`error: ${e.message}`));
        page.on('dialog', (d) => { page.wrong.push(`dialog: ${d.message()}`); d.dismiss(); });
        page.on('request', (r) => {
            const url = new URL(r.url());
            if (!['data:', 'blob:', 'about:'].includes(url.protocol) && (url.host !== host || url.protocol !== protocol)) page.wrong.push(`${r.resourceType()}: ${r.url()}`);
        });
        await page.setViewport({ width, height });
        await page.setJavaScriptEnabled(script);
        await page.setBypassCSP(!policy);
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }, { name: 'prefers-reduced-motion', value: 'reduce' }]);
        await before?.(page);
        await page.goto(address, { waitUntil });
        return page;
    }
}
