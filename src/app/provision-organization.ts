import { isFirstOrganization } from '../auth/organizations/store.ts'
import type { ProvisionOrganization } from '../auth/accounts/register.ts'
import type { Config } from '../config.ts'
import type { Collector } from '../embedded/collection/collector.ts'
import { insertFirstTarget } from '../embedded/targets/targets.ts'
import { insertDefaultTeam } from '../slos/teams/store.ts'
import { embedded } from '../sources/embedded-source.ts'
import { insertFirstSource } from '../sources/sources.ts'

type Deps = { config: Pick<Config, 'sourceUrl'>; collector: Pick<Collector, 'reloadAtNextTick'> }

/** Creates a team and the source of the settings; if embedded, nines becomes the first organization's first scrape target. */
export function provisionOrganizations({ config: { sourceUrl }, collector }: Deps): ProvisionOrganization {
  return async (trx, organizationId, nowMs) => {
    await insertDefaultTeam(trx, organizationId, nowMs)
    if (sourceUrl) await insertFirstSource(trx, organizationId, sourceUrl, nowMs)
    if (sourceUrl !== embedded || !(await isFirstOrganization(trx, organizationId))) return
    await insertFirstTarget(trx, organizationId, nowMs)
    collector.reloadAtNextTick(organizationId)
  }
}
