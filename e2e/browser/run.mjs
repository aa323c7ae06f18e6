// Entry point: `node browser/run.mjs [reading|access|…]`. See README.md.

import { access } from './access.mjs';
import { attacks } from './attacks.mjs';
import { Run, startBrowser, startOctavo } from './lib.mjs';
import { reading } from './reading.mjs';

const PARTS = { reading, access, attacks };

const octavo = await startOctavo();
const browser = await startBrowser();
try {
    const run = new Run(browser, octavo.base, octavo.token);
    const chosen = process.argv.slice(2);
    for (const [name, part] of Object.entries(PARTS)) {
        if (chosen.length === 0 || chosen.includes(name)) await part(run);
    }
    console.log(`browser: ${await browser.version()}, checks: ${run.checks}, failed tests: ${run.failures.length}`);
    process.exitCode = run.failures.length === 0 ? 0 : 1;
} finally {
    await browser.close();
    await octavo.stop();
}
