// Entry point: `node run.mjs [-v] [scenario…]`. See README.md.

import { randomBytes } from 'node:crypto';

import { GitBookAPI as RendererAPI } from 'gitbook-api-renderer';

import { Actor } from './lib/actor.mjs';
import { readConfig } from './lib/config.mjs';
import { loadDescription, loadRendererDescription } from './lib/description.mjs';
import { Octavo } from './lib/octavo.mjs';
import { report } from './lib/report.mjs';
import { runScenarios, World } from './lib/suite.mjs';
import { Wire } from './lib/wire.mjs';
import { INTERFACE } from './interface.mjs';
import { RENDERER_PREFIX, REQUIRED, REQUIRED_BY_RENDERER, REQUIRED_OWN } from './operations.mjs';
import { SCENARIOS } from './scenarios/index.mjs';

async function main({ names, verbose }) {
    const config = readConfig();
    const scenarios = select(names);
    const description = loadDescription();
    const required = requiredOperations(description);

    const octavo = await Octavo.open(config);
    let passed = false;
    try {
        const { accounts, ...scene } = await bootstrap(octavo);
        await octavo.serve(config);
        console.log(`e2e: ${octavo.nodes.join(', ')}`);

        const wire = new Wire(octavo.nodes, description);
        const people = Object.fromEntries(
            Object.entries(accounts).map(([name, account]) => [name, new Actor(wire, account)]),
        );
        const renderer = new Actor(wire.judgedBy(loadRendererDescription(), RENDERER_PREFIX), undefined, RendererAPI);
        const failures = await runScenarios(scenarios, new World({ people, renderer, description, octavo, ...scene }), verbose);

        // A run of chosen scenarios is for looking closer: it is not expected to call everything.
        const expected = names.length > 0 ? [] : required;
        passed = report({ wire, failures, required: expected, nouns: INTERFACE, log: await octavo.logs(), verbose });
    } finally {
        for (const problem of await octavo.close(config)) {
            console.log(`e2e: ${problem}`);
            passed = false;
        }
    }
    process.exitCode = passed ? 0 : 1;
}

/** Creates the people of the scenarios. Names carry a word of this run, so that a store can be used again. */
async function bootstrap(octavo) {
    const run = randomBytes(4).toString('hex');
    const domain = `acme-${run}.people.test`;
    const accounts = {
        alice: await octavo.bootstrap(`alice@${domain}`, 'Acme'),
        bob: await octavo.bootstrap(`bob@${domain}`, 'Bob & Co'),
        carol: await octavo.bootstrap(`carol@${domain}`, 'Carol & Co'),
        mallory: await octavo.bootstrap(`mallory@elsewhere-${run}.test`, 'Elsewhere'),
        anonymous: undefined,
    };
    return { accounts, domain, run };
}

function requiredOperations(description) {
    REQUIRED_OWN.forEach((name) => description.addUndeclared(name));
    const required = [...Object.values(REQUIRED).flat(), ...REQUIRED_OWN];
    const unknown = required.filter((name) => !description.operation(name));
    if (unknown.length > 0) {
        throw new Error(`operations.mjs or interface.mjs names what the description does not know: ${unknown.join(', ')}`);
    }
    return [...required, ...REQUIRED_BY_RENDERER.map((name) => RENDERER_PREFIX + name)];
}

function select(names) {
    if (names.length === 0) {
        return SCENARIOS;
    }
    const unknown = names.filter((name) => !(name in SCENARIOS));
    if (unknown.length > 0) {
        throw new Error(`no such scenario: ${unknown.join(', ')}; there are ${Object.keys(SCENARIOS).join(', ')}`);
    }
    return Object.fromEntries(names.map((name) => [name, SCENARIOS[name]]));
}

// Interrupted, leave no server behind: the exit handlers stop them.
for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => process.exit(1));
}
const words = process.argv.slice(2);
const names = words.filter((word) => word !== '-v');
await main({ names, verbose: names.length < words.length || names.length > 0 });
