import { type Clock, dayMs, isoTime } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { auditWriter, changesOf } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { AnnotationRow } from '../../db/tables/tables.ts'
import { invalid, readAll } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { readZonedTime, zonedTimeText } from '../../http/zoned-time.ts'
import { parseLabels, readLabels } from '../labels.ts'
import type { AnnotationCreation, AnnotationUpdate } from './model.ts'
import {
  getAnnotation,
  insertAnnotation,
  listMatchedSlos,
  type NamedAnnotation,
  removeAnnotation,
  updateAnnotation,
} from './store.ts'

export type AnnotationDeps = { db: Database; clock: Clock; config: Pick<Config, 'retentionDays'> }

type AnnotationWithSloCount = NamedAnnotation & { slo_count: number }

/** Time by which the clock of a sender may be ahead. */
const maxAheadMs = 300_000

/** Stores an annotation; without `at`, of now. Throws `invalid`. */
export async function createAnnotation(
  { db, clock, config }: AnnotationDeps,
  caller: Caller,
  sent: AnnotationCreation,
): Promise<AnnotationWithSloCount> {
  const nowMs = clock.now()
  const [labels, at] = readAll(
    () => readMatched(sent),
    () => readTime(sent.at, nowMs, config) ?? nowMs,
  )
  const id = await db.write.transaction().execute(async (trx) => {
    const row = await insertAnnotation(trx, {
      organization_id: caller.organizationId,
      kind: sent.kind,
      labels: labels ?? '{}',
      version: sent.version ?? '',
      url: sent.url ?? '',
      text: sent.text ?? '',
      at,
      created_by: caller.userId,
      created_at: nowMs,
    })
    await audit(trx, caller, 'annotation_created', row, {}, nowMs)
    return row.id
  })
  return getWithSloCount(db.read, caller.organizationId, id)
}

/** Changes the fields that are sent; a service or labels replace both. Throws `invalid`. */
export async function changeAnnotation(
  { db, clock, config }: AnnotationDeps,
  caller: Caller,
  id: number,
  sent: AnnotationUpdate,
): Promise<AnnotationWithSloCount> {
  await db.write.transaction().execute(async (trx) => {
    const nowMs = clock.now()
    const stored = await getAnnotation(trx, caller.organizationId, id)
    const replacesLabels = sent.service !== undefined || sent.labels !== undefined
    const [labels, at] = readAll(
      () => (replacesLabels ? readMatched(sent) : undefined),
      () => readTime(sent.at, nowMs, config),
    )
    const { kind, version, url, text } = sent
    const changes = changesOf<AnnotationRow>(stored, { kind, labels, version, url, text, at })
    if (changes === null) return
    await updateAnnotation(trx, caller.organizationId, id, changes.values)
    await audit(trx, caller, 'annotation_changed', stored, changes.details, nowMs)
  })
  return getWithSloCount(db.read, caller.organizationId, id)
}

export async function deleteAnnotation({ db, clock }: AnnotationDeps, caller: Caller, id: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const row = await getAnnotation(trx, caller.organizationId, id)
    await removeAnnotation(trx, caller.organizationId, id)
    await audit(trx, caller, 'annotation_deleted', row, {}, clock.now())
  })
}

/** Annotation with the number of active SLOs that it matches. */
export async function getWithSloCount(db: Db, organizationId: number, id: number): Promise<AnnotationWithSloCount> {
  const row = await getAnnotation(db, organizationId, id)
  return { ...row, slo_count: (await listMatchedSlos(db, row, 1)).count }
}

/** Labels that an SLO must have, as JSON; `service` is the label of that name. */
function readMatched({ service, labels }: AnnotationUpdate): string {
  const requiredLabels = { ...readLabels(labels ?? {}), ...(service !== undefined && { service }) }
  if (Object.keys(requiredLabels).length === 0)
    throw invalid('service', 'is required, or labels with at least one entry')
  return JSON.stringify(requiredLabels)
}

/** Reads a time for which nines keeps history, in ms; undefined: none was sent. */
function readTime(text: string | undefined, nowMs: number, { retentionDays }: AnnotationDeps['config']) {
  if (text === undefined) return undefined
  const at = readZonedTime(text)
  if (at === undefined) throw invalid('at', `must be ${zonedTimeText}`)
  if (at > nowMs + maxAheadMs) throw invalid('at', 'must not be in the future')
  if (at < nowMs - retentionDays * dayMs) throw invalid('at', `must be at most ${retentionDays} days ago`)
  return at
}

const audit = auditWriter<AnnotationRow>(({ id, kind, labels, version, at }) => ({
  annotation_id: id,
  kind,
  labels: parseLabels({ labels }),
  version,
  at: isoTime(at),
}))
