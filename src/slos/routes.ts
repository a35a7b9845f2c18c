import { Elysia, t } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { maxUnstreamedCharacters, objectWithList } from '../http/bodies/streamed-responses.ts'
import { operation } from '../http/openapi/operation.ts'
import { forceDescription } from '../http/openapi/texts.ts'
import { queryValues } from '../http/checks/query.ts'
import { Id, Message } from '../http/schemas.ts'
import { pageFields, readPage } from '../http/paging.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import type { Definition, Review } from './definition.ts'
import { changeSlo, createSlo, deleteSlo } from './edit.ts'
import { readLabelFilters } from './labels.ts'
import {
  activeOf,
  CreatedSlo,
  lengthOfSlos,
  listedFields,
  presentListed,
  presentPolicyInForce,
  presentSlo,
  SloCreation,
  SloList,
  SloListQuery,
  SloUpdate,
  SloWithNames,
} from './model.ts'
import type { Picks } from './picks-model.ts'
import { HoldingComposite } from './composites/model.ts'
import { listHolders } from './composites/store.ts'
import { getSlo, getSloNames, listSlos } from './store.ts'

type Deps = {
  db: Database
  clock: Clock
  guard: GuardDeps
  reviewDefinition: (slo: Definition) => Review
  picksOf: (slo: Definition) => Picks | null
  assertReadable: Parameters<typeof createSlo>[0]['assertReadable']
  countsEvents: Parameters<typeof createSlo>[0]['countsEvents']
  /** Active silence of an SLO; of several, the one that ends last. `untilMs`: until when this stays true if no silence is changed. */
  silenceOf: (slo: SloRow) => Promise<{ silence: (typeof SloWithNames.static)['silence']; untilMs: number }>
  /** Called after an SLO was created, changed or deleted. */
  onChange: (id: number) => void
}

const params = t.Object({ id: Id('SLO') })
const DeletedSlo = t.Composite([Message, t.Object({ composites: t.Array(HoldingComposite) })], { title: 'DeletedSlo' })
const MessageWithWarnings = t.Composite([Message, t.Object({ warnings: t.Array(t.String()) })])

export const sloRoutes = ({
  db,
  clock,
  guard,
  reviewDefinition,
  picksOf,
  assertReadable,
  countsEvents,
  silenceOf,
  onChange,
}: Deps) =>
  new Elysia({ prefix: '/slos', tags: ['SLOs'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller, query, request }) => {
        const page = readPage(query)
        const labels = readLabelFilters(queryValues(request.url, 'label'))
        const active = activeOf[query.active ?? 'true']
        const filter = { ...page, teamId: query.team_id, labels, active, search: query.search }
        const { rows, total } = await listSlos(db.read, caller.organizationId, filter)
        const fields = pageFields(page, total)
        if (lengthOfSlos(rows) <= maxUnstreamedCharacters) return { slos: rows.map(presentListed), ...fields }
        const response = await guard.streamedResponses(
          caller.organizationId,
          objectWithList(fields, 'slos', listedFields(rows)),
        )
        return response as unknown as typeof SloList.static // a Response bypasses the schema
      },
      {
        ...operation('listSlos', 'List SLOs', {
          query: SloListQuery,
          200: SloList,
          description:
            'Active SLOs, newest first. `active=false` lists the deleted ones instead, and `active=all` both. ' +
            'PUT with `active: true` restores a deleted one. `search` finds a part of the name or description.',
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .get(
      '/:id',
      async ({ caller, params, request }) => {
        const row = await getSlo(db.read, caller.organizationId, params.id)
        const [names, { silence, untilMs }, composites] = await Promise.all([
          getSloNames(db.read, row),
          silenceOf(row),
          listHolders(db.read, caller.organizationId, row.id),
        ])
        guard.answers.limit(request, { untilMs })
        return {
          ...presentSlo(row),
          ...names,
          policy_in_force: presentPolicyInForce(row),
          silence,
          picks: picksOf(row),
          composites,
        }
      },
      {
        ...operation('getSlo', 'One SLO', {
          description:
            'A deleted SLO too. Besides the definition it has the names of its team, source and maker, and the ' +
            'silence in force, and what the form of the page picks to make its queries.',
          params,
          200: SloWithNames,
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const { slo, warnings } = await createSlo(
          { db, clock, reviewDefinition, assertReadable, countsEvents },
          caller,
          body,
        )
        onChange(slo.id)
        set.status = 201
        return { ...presentSlo(slo), status: 'unknown' as const, warnings }
      },
      operation('createSlo', 'Create an SLO', {
        body: SloCreation,
        201: CreatedSlo,
        description: `For members. It is evaluated within seconds, and its past is filled in from its source. \`warnings\` say what is likely wrong with its query. \`paused: true\` creates it without evaluating it. ${forceDescription}`,
      }),
    )
    .put(
      '/:id',
      async ({ caller, params, body }) => {
        const slo = await changeSlo({ db, clock, assertReadable, countsEvents }, caller, params.id, body)
        onChange(slo.id)
        const warnings = slo.composite === null ? reviewDefinition(slo).warnings : []
        return { message: 'SLO updated', warnings }
      },
      operation('updateSlo', 'Change an SLO; fields that are not sent stay', {
        params,
        body: SloUpdate,
        200: MessageWithWarnings,
        description: `For members. What changes how it is measured begins a new \`revision\`, whose past is filled in again; another target counts for the past as well. \`active: true\` restores a deleted SLO. \`paused: true\` stops its evaluation: its alerts end, its incident is closed, its state is \`unknown\` with the reason \`paused\`; \`paused: false\` resumes it, and what lies between is filled in. ${forceDescription}`,
        409: 'It is to be restored, but the quota of SLOs is used up',
      }),
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        const composites = await deleteSlo({ db, clock }, caller, params.id)
        onChange(params.id)
        return { message: 'SLO deleted', composites }
      },
      operation('deleteSlo', 'Delete an SLO; what was measured stays readable', {
        description:
          'For members. It is no longer evaluated, its alerts end and its backfill is cancelled. `PUT` with ' +
          '`active: true` restores it. Deleting it again changes nothing. `composites` are those that it is a member of: ' +
          'each becomes unknown, or leaves it out.',
        params,
        200: DeletedSlo,
      }),
    )
