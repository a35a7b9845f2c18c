import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import { pageOf } from '../../db/page-of.ts'
import type { AnnotationKind, AnnotationRow, SloRow } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'
import { parseLabels } from '../labels.ts'

/** Writes the annotations of an organization. */
export const {
  insert: insertAnnotation,
  update: updateAnnotation,
  remove: removeAnnotation,
} = organizationRows('annotations', 'Annotation')

/** Annotation with the name of its creator. */
export type NamedAnnotation = AnnotationRow & { created_by_name: string | null }

/** `slo`: only annotations that match it. Times are inclusive. */
export type AnnotationFilter = {
  slo?: Pick<SloRow, 'labels'> | undefined
  kind?: AnnotationKind | undefined
  startMs?: number | undefined
  endMs?: number | undefined
}

type ListOptions = AnnotationFilter & { page: number; pageSize: number }

/** Page of an organization's annotations, the latest first, with the total count. */
export async function listAnnotations(
  db: Db,
  organizationId: number,
  { page, pageSize, ...filter }: ListOptions,
): Promise<{ rows: NamedAnnotation[]; total: number }> {
  return pageOf(filtered(db, organizationId, filter), { page, pageSize }, (annotations) =>
    withNames(annotations).orderBy('annotations.at', 'desc').orderBy('annotations.id', 'desc'),
  )
}

export async function getAnnotation(db: Db, organizationId: number, id: number): Promise<NamedAnnotation> {
  const row = await withNames(filtered(db, organizationId)).where('annotations.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('Annotation')
  return row
}

/** Deploys of the organization after an annotation, up to a time (inclusive), the earliest first, at most `limit`. */
export async function listDeploysAfter(
  db: Db,
  { organization_id, at, id }: Pick<AnnotationRow, 'organization_id' | 'at' | 'id'>,
  untilMs: number,
  limit: number,
): Promise<AnnotationRow[]> {
  return filtered(db, organization_id, { kind: 'deploy', startMs: at, endMs: untilMs })
    .where((is) => is.or([is('annotations.at', '>', at), is('annotations.id', '>', id)]))
    .selectAll('annotations')
    .orderBy('annotations.at')
    .orderBy('annotations.id')
    .limit(limit)
    .execute()
}

function filtered(db: Db, organizationId: number, { slo, kind, startMs, endMs }: AnnotationFilter = {}) {
  return db
    .selectFrom('annotations')
    .where('annotations.organization_id', '=', organizationId)
    .$if(kind !== undefined, (q) => q.where('annotations.kind', '=', kind ?? 'note'))
    .$if(startMs !== undefined, (q) => q.where('annotations.at', '>=', startMs ?? 0))
    .$if(endMs !== undefined, (q) => q.where('annotations.at', '<=', endMs ?? 0))
    .$if(slo !== undefined, (q) => q.where(matches(slo?.labels ?? '')))
}

/** Condition for annotations whose labels an SLO has: merging them into its own changes nothing. */
function matches(sloLabels: string) {
  return sql<boolean>`json_patch(${sloLabels}, annotations.labels) = ${sloLabels}`
}

function withNames(annotations: ReturnType<typeof filtered>) {
  return annotations
    .leftJoin('users', 'users.id', 'annotations.created_by')
    .selectAll('annotations')
    .select('users.name as created_by_name')
}

type MatchedSlo = Pick<SloRow, 'id' | 'name' | 'labels'>

/** Active SLOs that an annotation matches, at most `limit` in the order of their ids, and how many there are. */
export async function listMatchedSlos(
  db: Db,
  { organization_id, labels }: Pick<AnnotationRow, 'organization_id' | 'labels'>,
  limit: number,
): Promise<{ slos: MatchedSlo[]; count: number }> {
  const matched = db
    .selectFrom('slos')
    .where('organization_id', '=', organization_id)
    .where('active', '=', 1)
    .where((is) => is.and(partsOf(labels).map((part) => sql<boolean>`instr(labels, ${part}) > 0`)))
  const slos = await matched.select(['id', 'name', 'labels']).orderBy('id').limit(limit).execute()
  if (slos.length < limit) return { slos, count: slos.length }
  const countRow = await matched.select((q) => q.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return { slos, count: countRow.count }
}

/** Each label as it is written in the JSON of labels: quotes inside texts are escaped, so that nothing else contains it. */
function partsOf(labels: string): string[] {
  return Object.entries(parseLabels({ labels })).map(([key, value]) => `"${key}":${JSON.stringify(value)}`)
}

/** Deletes the oldest annotations before a time, at most `limit`; returns their number. */
export async function deleteAnnotationsBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from annotations where id in (select id from annotations where at < ${beforeMs} order by at limit ${limit})
  `.execute(db)
  return Number(numAffectedRows)
}
