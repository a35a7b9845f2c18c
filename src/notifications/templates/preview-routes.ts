import { Elysia, t } from 'elysia'
import { type Clock, isoTime } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { problemCodes } from '../../errors.ts'
import { BodyId, OneOf, ProblemParts, Text } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { previewTemplate } from './preview.ts'

/** Alert types that can be previewed: all except `appliance_condition`, whose texts cannot be set. */
const kinds = [
  'violation',
  'slo_below_target',
  'warning',
  'recovery',
  'slo_recovery',
  'error_budget_low',
  'error_budget_exhausted',
  'burn_rate_too_fast',
  'manual',
] as const

const TemplatePreview = t.Object(
  {
    alert_type: OneOf(kinds),
    slo_id: t.Optional(t.Nullable(BodyId('SLO'), { description: 'the SLO id, a whole number from 1, or null' })),
    subject: t.Optional(t.Nullable(Text({ max: 500 }), { description: '1 to 500 characters on one line, or null' })),
    message: t.Optional(
      t.Nullable(Text({ max: 20_000, lines: 'many' }), { description: '1 to 20000 characters, or null' }),
    ),
  },
  {
    title: 'TemplatePreview',
    examples: [{ alert_type: 'burn_rate_too_fast', subject: '{{slo_name}} burns {{burn_rate}} times too fast' }],
  },
)

const Texts = { subject: t.String(), message: t.String() }

const TemplatePreviewed = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({
      ...Texts,
      defaults: t.Object(Texts),
      problems: t.Array(
        t.Object({
          field: OneOf(['subject', 'message']),
          message: t.String(),
          code: OneOf(problemCodes, 'stable kind of the problem; more may be added'),
          params: ProblemParts.params,
        }),
      ),
      placeholders: t.Array(t.Object({ name: t.String(), description: t.String(), value: t.String() })),
      slo_name: t.String(),
      based_on: t.Nullable(
        t.Object(
          { notification_id: t.Number(), slo_id: t.Nullable(t.Number()), created_at: t.String() },
          { description: 'the notification whose data fill the texts; null: a sample' },
        ),
      ),
    }),
  },
  { title: 'TemplatePreviewed' },
)

type Deps = { db: Database; clock: Clock; publicUrl: () => string; guard: GuardDeps }

/** `/notifications/templates/preview`: previews the texts of a rule; changes nothing, open to every role. */
export const templatePreviewRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/notifications/templates', tags: ['Notifications'] })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .post(
      '/preview',
      async ({ caller, body: { alert_type: kind, slo_id, subject = null, message = null } }) => {
        const request = { kind, sloId: slo_id ?? undefined, template: { subject, message } }
        const { row, sloName, ...data } = await previewTemplate(deps, caller.organizationId, request)
        const based_on = row
          ? { notification_id: row.id, slo_id: row.slo_id, created_at: isoTime(row.created_at) }
          : null
        return { success: true as const, data: { ...data, slo_name: sloName, based_on } }
      },
      operation('previewTemplate', 'What the texts of a rule would say', {
        body: TemplatePreview,
        200: TemplatePreviewed,
        404: 'There is no such SLO',
        description:
          'Fills in the last notification of this kind, of this SLO or of any; a sample, where there is none. Unknown placeholders are named in `problems`.',
      }),
    )
