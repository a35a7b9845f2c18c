import { Elysia, t } from 'elysia'
import type { Database } from '../../db/open.ts'
import { queryValues } from '../../http/checks/query.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Anything, Id, OneOf, QueryId } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { readLabelFilters } from '../../slos/labels.ts'
import { LabelFilters } from '../../slos/model.ts'
import { getActiveSlo } from '../../slos/store.ts'
import { getTeam } from '../../slos/teams/store.ts'
import { presentSelector, RuleSelector } from './rule-model.ts'
import { ruleSources } from './rules-in-force.ts'
import { readRecipients, type SloRecipients } from './slo-recipients.ts'

const Recipients = t.Object(
  {
    slo_id: t.Nullable(t.Number({ description: 'null: an SLO that is not stored' })),
    channels: t.Array(t.Object({ id: t.Number(), name: t.String(), channel_type: t.String() }), {
      description: 'the enabled channels that the causes name',
    }),
    causes: t.Array(
      t.Object({
        alert_type: t.String({
          description:
            'as of alerts and rules; rules for `violation` notify of `down`, too; `recovery` is the end of an alert',
        }),
        severity: t.Nullable(t.String({ description: 'of such an alert; null: of its end' })),
        recipients: t.Array(
          t.Object({
            channel_id: t.Number(),
            by: OneOf(
              ruleSources,
              'rule: a rule by slo_id; selector: a rule with a selector; default: a default channel',
            ),
            rule_id: t.Nullable(t.Number({ description: 'null: a default channel' })),
            selector: RuleSelector,
            priority: t.Nullable(t.String({ description: 'null: that of the alert that ends' })),
          }),
          { description: 'none: nobody is notified' },
        ),
      }),
    ),
  },
  { title: 'Recipients' },
)

const params = t.Object({ id: Id('SLO') })
const query = t.Object({ team_id: t.Optional(QueryId), label: t.Optional(Anything(LabelFilters)) })

/** Team of SLOs that name none. */
const defaultTeamId = 1

/** `/slos/:id/recipients` and `/slos/recipients`: who would be notified of what of an SLO, and why. */
export const sloRecipientRoutes = ({ db, guard }: { db: Database; guard: GuardDeps }) =>
  new Elysia({ prefix: '/slos', tags: ['Notifications'] })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .get(
      '/recipients',
      async ({ caller: { organizationId }, query: { team_id = defaultTeamId }, request }) => {
        const labels = JSON.stringify(Object.fromEntries(readLabelFilters(queryValues(request.url, 'label'))))
        await getTeam(db.read, organizationId, team_id)
        const slo = { id: 0, organization_id: organizationId, team_id, labels }
        return presentRecipients(null, await readRecipients(db.read, slo))
      },
      {
        ...operation('getRecipientsOfNew', 'Who would be notified of a new SLO', {
          description: 'Of an SLO with these labels and this team (by default 1), before it is created.',
          query,
          200: Recipients,
          404: 'There is no such team',
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .get(
      '/:id/recipients',
      async ({ caller, params }) => {
        const slo = await getActiveSlo(db.read, caller.organizationId, params.id)
        return presentRecipients(slo.id, await readRecipients(db.read, slo))
      },
      {
        ...operation('getRecipients', 'Who would be notified of what of an SLO, and why', {
          description:
            'For each kind of alert the enabled channels by the rules in force now, whether the SLO can have such an alert or ' +
            'not. Silences, acknowledgements and minimum intervals make no difference.',
          params,
          200: Recipients,
        }),
        beforeHandle: guard.answers.keep,
      },
    )

function presentRecipients(slo_id: number | null, { channels, causes }: SloRecipients): typeof Recipients.static {
  return {
    slo_id,
    channels: channels.map(({ id, name, channel_type }) => ({ id, name, channel_type })),
    causes: causes.map(({ recipients, ...cause }) => ({
      ...cause,
      recipients: recipients.map((one) => ({ ...one, selector: presentSelector(one) })),
    })),
  }
}
