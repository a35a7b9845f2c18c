import type { Clock } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import type { NotificationRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import { getActiveSlo } from '../../slos/store.ts'
import { type AlertType, causeOf, spellingsOf } from '../causes.ts'
import { linkTo, type SloData } from '../notification-data.ts'
import { placeholdersOf } from './placeholders.ts'
import { sampleData } from './sample-data.ts'
import type { TemplateData } from './template-data.ts'
import { assertTemplate, type Template, renderTexts } from './templates.ts'

type Deps = { db: Pick<Database, 'read'>; clock: Clock; publicUrl: () => string }
type Kind = AlertType | 'manual'
type Problem = { field: 'subject' | 'message'; message: string }

/**
 * Renders templates with the organization's latest notification of this kind, or with a sample. Also returns the default texts,
 * the problems of the templates, and every placeholder with its value. Throws `not_found` for a missing SLO.
 */
export async function previewTemplate(
  { db, clock, publicUrl }: Deps,
  organizationId: number,
  { kind, sloId, template }: { kind: Kind; sloId: number | undefined; template: Template },
) {
  if (sloId !== undefined) await getActiveSlo(db.read, organizationId, sloId)
  const row = await findLast(db.read, organizationId, kind, sloId)
  const data = row ? dataOf(row, publicUrl()) : sampleData(kind, publicUrl(), clock.now())
  const defaults = renderTexts({ subject: null, message: null }, data)
  return {
    row,
    sloName: data.slo.slo_name,
    ...renderTexts(template, data),
    defaults,
    problems: problemsOf(template),
    placeholders: placeholdersOf(data),
  }
}

function problemsOf(template: Template): Problem[] {
  return (['subject', 'message'] as const).flatMap((field) => {
    try {
      assertTemplate(field, template[field] ?? '')
      return []
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return [{ field, message: (error.details ?? error.message).replace(`${field}: `, '') }]
    }
  })
}

/** Event of a kind: `recovery` for rules on recoveries, `message` for manual notifications, otherwise `alert`. */
function eventOf(kind: Kind): NotificationRow['event'] {
  if (kind === 'manual') return 'message'
  return causeOf[kind] === 'recovery' ? 'recovery' : 'alert'
}

async function findLast(
  db: Db,
  organizationId: number,
  kind: Kind,
  sloId: number | undefined,
): Promise<NotificationRow | undefined> {
  const types = kind === 'manual' ? [kind] : spellingsOf(causeOf[kind])
  let found = db
    .selectFrom('notifications')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('slo_id', 'is not', null)
    .where('alert_type', 'in', types)
    .where('event', '=', eventOf(kind))
  if (sloId !== undefined) found = found.where('slo_id', '=', sloId)
  const newest = found.orderBy('id', 'desc').limit(1)
  return db.selectFrom('notifications').selectAll().where('id', '=', newest).executeTakeFirst()
}

function dataOf(row: NotificationRow, publicUrl: string): TemplateData {
  const sloId = row.slo_id ?? 0 // not null: `findLast` selects only rows with an SLO
  return {
    event: row.event,
    alertType: row.alert_type,
    priority: row.priority,
    sloId,
    slo: JSON.parse(row.metadata) as SloData,
    link: linkTo(publicUrl, sloId),
    nowMs: row.created_at,
  }
}
