// A browser beside the program: pages that tell what went wrong in them.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import puppeteer from 'puppeteer-core';

const READY_WITHIN = 60_000;

/** Starts the program with its demonstration. Returns its address, a token and a way to stop it. */
export async function startOctavo() {
    const data = await mkdtemp(join(tmpdir(), 'octavo-browser-'));
    const binary = resolve(process.env.OCTAVO_BIN ?? '../bin/octavo');
    const server = spawn(binary, ['serve', '--demo', '--data', data, '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'pipe'] });
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
        return { ...(await found), stop };
    } catch (error) {
        await stop();
        throw error;
    }
}

export async function startBrowser() {
    const executablePath = process.env.OCTAVO_TEST_CHROMIUM ?? '/usr/bin/chromium';
    return puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'], protocolTimeout: 300_000 });
}

/** The browser and the server of a run, and what was found wrong. */
export class Run {
    failures = [];
    checks = 0;

    constructor(browser, base, token) {
        Object.assign(this, { browser, base, token });
    }

    /** Plays one test. Whatever it throws is a failure, and the next one goes on. */
    async test(name, play) {
        const context = await this.browser.createBrowserContext();
        await context.overridePermissions(this.base, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']).catch(() => {});
        try {
            await play({ open: (path, options) => this.#open(context, path, options), check: this.check.bind(this) });
        } catch (error) {
            this.failures.push(`${name}: ${error.message}`);
            console.log(`browser: FAILED ${name}: ${error.message}`);
        } finally {
            await context.close();
        }
    }

    check(holds, what) {
        this.checks++;
        if (!holds) throw new Error(what);
    }

    /** Opens a page. Errors in its console, and requests to other hosts, are collected in page.wrong. */
    async #open(context, path, { width = 1280, height = 900, dark = false, script = true, policy = true } = {}) {
        const page = await context.newPage();
        const host = new URL(this.base).host;
        page.wrong = [];
        page.on('console', (m) => m.type() === 'error' && page.wrong.push(`console: ${m.text()}`));
        page.on('pageerror', (e) => page.wrong.push(`error: ${e.message}`));
        page.on('dialog', (d) => { page.wrong.push(`dialog: ${d.message()}`); d.dismiss(); });
        page.on('request', (r) => {
            const url = new URL(r.url());
            if (!['data:', 'blob:', 'about:'].includes(url.protocol) && url.host !== host) page.wrong.push(`${r.resourceType()}: ${r.url()}`);
        });
        await page.setViewport({ width, height });
        await page.setJavaScriptEnabled(script);
        await page.setBypassCSP(!policy);
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }, { name: 'prefers-reduced-motion', value: 'reduce' }]);
        await page.goto(this.base + path, { waitUntil: 'load' });
        return page;
    }
}
