import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import { sealedEdits } from '../../db/sealed-edits.ts'
import { flag, type ProbeRow } from '../../db/tables/tables.ts'
import { invalid, readAll } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { collectedOf, readCollected } from '../collection/fields.ts'
import { probeRows } from '../collection/collected-store.ts'
import type { Item } from '../collection/item.ts'
import type { Probe as CollectedProbe } from '../collection/target.ts'
import type { ProbeCreation, ProbeUpdate } from './model.ts'
import type { Pinger } from '../probing/pinger.ts'
import { assertType, openProbe, readTargetAndSettings } from './settings.ts'

type Deps = { db: Database; clock: Clock; seal: Seal }
type Creating = Deps & { pinger: Pinger }

const defaultDownAfter = 2

/** The audit log leaves out settings and the query string: either may contain credentials. */
const edits = sealedEdits(probeRows, {
  sealed: 'sealed_settings',
  event: 'probe',
  audited: ({ id, name, type, target, is_active }) => ({
    id,
    name,
    type,
    target: target.replace(/\?.*$/s, ''),
    is_active: is_active === 1,
  }),
})

export const removeProbe = edits.remove

/** Stores a probe. Throws `conflict` if the name is in use or the quota is used up, `invalid` for ICMP where it is not possible. */
export async function createProbe(deps: Creating, caller: Caller, creation: ProbeCreation): Promise<ProbeRow> {
  const { columns, typed } = readProbe(creation)
  const reason = typed.type === 'icmp' ? await deps.pinger.whyNot() : null
  if (reason !== null) throw invalid('type', `must be http, tcp or dns here: ${reason}`)
  return edits.create(deps, caller, () => ({ columns: { ...columns, type: typed.type }, secret: typed.settings }))
}

/** Changes the given fields only. Settings are replaced as a whole; the type cannot change. */
export async function changeProbe(deps: Deps, caller: Caller, id: number, update: ProbeUpdate): Promise<ProbeRow> {
  return edits.change(deps, caller, { id, update }, (row) => {
    const stored = { row, probe: openProbe(deps.seal, row) }
    const { columns, typed } = readProbe({ ...requiredOf(row), ...update }, stored)
    const isChanged = !Bun.deepEquals(typed.settings, stored.probe.settings)
    return { columns, ...(isChanged && { secret: typed.settings }), also: { settings_changed: isChanged } }
  })
}

/** Probe that a creation would run; stores nothing. Throws like `createProbe` for invalid input. */
export function unsavedProbe(organizationId: number, creation: ProbeCreation): Item {
  return trialOf(organizationId, readProbe(creation))
}

/** Stored probe with the changes of an update; stores nothing. Throws like `changeProbe` for invalid input. */
export async function changedProbe(
  { db, seal }: Pick<Deps, 'db' | 'seal'>,
  organizationId: number,
  id: number,
  update: ProbeUpdate,
): Promise<Item> {
  const row = await probeRows.get(db.read, organizationId, id)
  const stored = { row, probe: openProbe(seal, row) }
  return trialOf(organizationId, readProbe({ ...requiredOf(row), ...update }, stored))
}

/** Fields that an update may omit and a creation may not. */
function requiredOf({ name, type, target }: ProbeRow) {
  return { name, type, target }
}

type Stored = { row: ProbeRow; probe: CollectedProbe }

/** Columns of a probe, and in `typed` what depends on its type. Fields that are not sent are as before, or have defaults. */
function readProbe(sent: ProbeCreation, stored?: Stored) {
  const [typed, collected] = readAll(
    () => {
      const type = stored ? sameType(sent.type, stored.row) : assertType(sent.type)
      return readTargetAndSettings(type, sent.target, sent.settings, stored?.probe ?? null)
    },
    () => readCollected(sent, stored?.row),
  )
  const confirm = flag(sent.confirm ?? stored?.row.confirm !== 0)
  const down_after = sent.down_after ?? stored?.row.down_after ?? defaultDownAfter
  return { columns: { ...collected, target: typed.target, confirm, down_after }, typed }
}

function sameType(type: string, stored: ProbeRow): ProbeRow['type'] {
  if (type === stored.type) return stored.type
  throw invalid('type', `must be ${stored.type}: the type of a probe cannot change`)
}

function trialOf(organizationId: number, { columns, typed }: ReturnType<typeof readProbe>): Item {
  const { confirm, down_after: downAfter } = columns
  const common = collectedOf({ id: 0, organization_id: organizationId, ...columns })
  return { kind: 'probe', definition: { ...common, confirm: confirm === 1, downAfter, ...typed } }
}
