import type { Clock } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import { getZone } from '../../db/organization-zones.ts'
import type { NotificationRow } from '../../db/tables/tables.ts'
import { AppError, type ReportedProblem } from '../../errors.ts'
import { getActiveSlo } from '../../slos/store.ts'
import { type AlertType, causeOf, alertTypesOf } from '../causes.ts'
import { linkTo, type SloData } from '../notification-data.ts'
import type { Zone } from '../../zone.ts'
import { placeholdersOf } from './placeholders.ts'
import { sampleData } from './sample-data.ts'
import type { TemplateData } from './template-data.ts'
import { assertTemplate, type Template, renderTexts } from './templates.ts'

type Deps = { db: Pick<Database, 'read'>; clock: Clock; publicUrl: () => string }
type Kind = AlertType | 'manual'
type TemplateProblem = Omit<ReportedProblem, 'field' | 'fix'> & { field: 'subject' | 'message' }

/**
 * Renders a template with the data of the organization's latest notification of this alert type, of the SLO if given; without
 * one (`row` undefined) with sample data. `defaults`: the texts without a template. `problems`: errors of the template.
 * `placeholders`: each with its value. Throws `not_found` for a missing SLO.
 */
export async function previewTemplate(
  { db, clock, publicUrl }: Deps,
  organizationId: number,
  { kind, sloId, template }: { kind: Kind; sloId: number | undefined; template: Template },
) {
  if (sloId !== undefined) await getActiveSlo(db.read, organizationId, sloId)
  const row = await findLatest(db.read, organizationId, kind, sloId)
  const zone = await getZone(db.read, organizationId)
  const data = row ? templateDataOf(row, publicUrl(), zone) : sampleData(kind, publicUrl(), zone, clock.now())
  const defaults = renderTexts({ subject: null, message: null }, data)
  return {
    row,
    sloName: data.slo.slo_name,
    ...renderTexts(template, data),
    defaults,
    problems: problemsOf(template),
    placeholders: placeholdersOf(data, defaults.message),
  }
}

function problemsOf(template: Template): TemplateProblem[] {
  return (['subject', 'message'] as const).flatMap((field) => {
    try {
      assertTemplate(field, template[field] ?? '')
      return []
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return error.problems.map(({ message, code, params }) => ({ field, message, code, params }))
    }
  })
}

/** Event of the notifications with this alert type. */
function eventOf(kind: Kind): NotificationRow['event'] {
  if (kind === 'manual') return 'message'
  return causeOf[kind] === 'recovery' ? 'recovery' : 'alert'
}

/** Latest notification of an SLO, or of any SLO, with this alert type or another of the same cause. */
async function findLatest(
  db: Db,
  organizationId: number,
  kind: Kind,
  sloId: number | undefined,
): Promise<NotificationRow | undefined> {
  const types = kind === 'manual' ? [kind] : alertTypesOf(causeOf[kind])
  let ids = db
    .selectFrom('notifications')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('slo_id', 'is not', null)
    .where('alert_type', 'in', types)
    .where('event', '=', eventOf(kind))
  if (sloId !== undefined) ids = ids.where('slo_id', '=', sloId)
  const latest = ids.orderBy('id', 'desc').limit(1)
  return db.selectFrom('notifications').selectAll().where('id', '=', latest).executeTakeFirst()
}

function templateDataOf(row: NotificationRow, publicUrl: string, zone: Zone): TemplateData {
  const sloId = row.slo_id ?? 0 // not null: `findLatest` selects only rows with an SLO
  return {
    event: row.event,
    alertType: row.alert_type,
    priority: row.priority,
    sloId,
    slo: JSON.parse(row.metadata) as SloData,
    link: linkTo(publicUrl, sloId),
    zone,
    nowMs: row.created_at,
  }
}
