import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import { listActiveProbes } from '../probes/store.ts'
import { openProbe } from '../probes/settings.ts'
import { listActiveTargets } from '../targets/store.ts'
import { openTarget } from '../targets/targets.ts'
import type { Item } from './item.ts'

/** What is active: of one organization, or of all. */
export async function listItems({ db, seal }: { db: Database; seal: Seal }, organizationId?: number): Promise<Item[]> {
  const targets = await listActiveTargets(db.read, organizationId)
  const probes = await listActiveProbes(db.read, organizationId)
  return [
    ...targets.map((row): Item => ({ kind: 'target', what: openTarget(seal, row) })),
    ...probes.map((row): Item => ({ kind: 'probe', what: openProbe(seal, row) })),
  ]
}
