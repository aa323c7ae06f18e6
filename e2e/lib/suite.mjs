// Runs scenarios: each in an organization of its own, each step reported, a
// failed step never hiding the following ones.

import { created } from './expect.mjs';

const GREEN = '✓';
const RED = '✗';

/** What scenarios share: the people, their addresses, and ways to set the scene. */
export class World {
    /**
     * @param people { alice, bob, carol, mallory, anonymous } as Actors
     * @param renderer an Actor without a token, with the client of a site renderer
     * @param domain the e-mail domain of alice, bob and carol; mallory is from elsewhere
     * @param run a lower-case word that is different in every run, for names that are global
     * @param description the API description
     * @param octavo the program, for what only its command line can do
     */
    constructor({ people, renderer, domain, run, description, octavo }) {
        Object.assign(this, { ...people, renderer, domain, run, description, octavo });
    }

    /** Creates an organization with alice as its admin. */
    async newOrganization(title) {
        return await created(this.alice.call('POST', '/orgs', { body: { title } }), '/orgs');
    }

    /** Makes the person a member of alice's organization; a null role makes a guest. */
    async enroll(person, organization, role) {
        const { data: invite } = await this.alice.api.orgs.createOrganizationInvite(organization.id, { role });
        await person.api.orgs.joinOrganizationWithInvite(organization.id, invite.id);
        await this.alice.api.orgs.deleteOrganizationInviteById(organization.id, invite.id);
    }
}

/**
 * Runs the scenarios one after the other. Returns the failures: { scenario, step, error }.
 * Prints each step if verbose, else those that failed.
 */
export async function runScenarios(scenarios, world, verbose) {
    const failures = [];
    for (const [scenario, play] of Object.entries(scenarios)) {
        if (verbose) console.log(`\n${scenario}`);
        const step = async (title, body) => {
            try {
                await body();
                if (verbose) console.log(`  ${GREEN} ${title}`);
            } catch (error) {
                console.log(verbose ? `  ${RED} ${title}` : `${RED} ${scenario}: ${title}`);
                failures.push({ scenario, step: title, error });
            }
        };
        try {
            const organization = await world.newOrganization(`E2E ${scenario}`);
            await play({ step, organization, world, ...world });
        } catch (error) {
            failures.push({ scenario, step: 'setting the scene', error });
        }
    }
    return failures;
}
