import { Elysia, t } from 'elysia'
import { type Clock, isoTime } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id, OneOf } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { QueryTime } from '../../http/zoned-time.ts'
import { categories } from '../../slos/corrections/store.ts'
import { titleOf } from '../../slos/annotations/title.ts'
import { AlertNameFields, presentAlertName } from '../alerts/alert-name-model.ts'
import { readTimeline, type Timeline } from './timeline-store.ts'

const TimelineResponse = t.Object(
  {
    slo_id: t.Number(),
    start_time: t.String(),
    end_time: t.String(),
    alerts: t.Array(
      t.Object({
        id: t.Number(),
        name: t.String(),
        ...AlertNameFields,
        reason: t.Nullable(
          t.String({ description: 'of an outage: why the checks fail; null: not known, or another alert' }),
        ),
        severity: t.String(),
        began_at: t.String(),
        ended_at: t.Nullable(t.String({ description: 'null: it is firing' })),
        acknowledged_at: t.Nullable(t.String()),
        acknowledged_by: t.Nullable(t.String({ description: 'the name of who acknowledged it' })),
      }),
    ),
    silences: t.Array(t.Object({ id: t.Number(), starts_at: t.String(), until: t.String(), comment: t.String() })),
    changes: t.Array(
      t.Object({
        id: t.Number(),
        event: t.String({ description: 'created, changed, paused, resumed, deleted or restored' }),
        revision: t.Number(),
        changed_at: t.String(),
        changed_by_name: t.Nullable(t.String()),
        fields: t.Array(t.String()),
      }),
    ),
    annotations: t.Array(
      t.Object({
        id: t.Number(),
        kind: t.String({ description: 'deploy, change or note' }),
        title: t.String({ description: 'its kind, service and version, as in `deploy checkout v1.4.2`' }),
        url: t.String({ description: 'empty: none' }),
        at: t.String(),
      }),
    ),
    corrections: t.Array(
      t.Object({
        id: t.Number(),
        category: OneOf(categories),
        text: t.String({ description: 'empty: none' }),
        from: t.String(),
        to: t.String(),
      }),
      {
        description:
          'times that do not count, one entry for each time of a rule; of the last 400 days of the range, up to a year ahead',
      },
    ),
  },
  { title: 'Timeline' },
)

const params = t.Object({ id: Id('SLO') })
const query = t.Object({ start: t.Optional(QueryTime()), end: t.Optional(QueryTime()) })

/** `/slos/:id/timeline`: events of an SLO for the annotations of a chart; deleted SLOs included. */
export const timelineRoutes = ({ guard, ...deps }: { db: Database; clock: Clock; guard: GuardDeps }) =>
  new Elysia({ prefix: '/slos/:id', tags: ['SLOs'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/timeline',
    async ({ caller, params, query: { start, end } }) =>
      presentTimeline(await readTimeline(deps, caller.organizationId, params.id, { startMs: start, endMs: end })),
    operation(
      'getTimeline',
      'The alerts, silences, changes, annotations and corrections of an SLO in a range of time',
      {
        params,
        query,
        200: TimelineResponse,
        description: 'Without `start` and `end`: in the window of the SLO up to now. At most 500 of each, the newest.',
      },
    ),
  )

function presentTimeline({
  slo,
  startMs,
  endMs,
  alerts,
  silences,
  changes,
  annotations,
  corrections,
}: Timeline): typeof TimelineResponse.static {
  return {
    slo_id: slo.id,
    start_time: isoTime(startMs),
    end_time: isoTime(endMs),
    alerts: alerts.map(({ id, name, reason, severity, began_at, ended_at, acknowledged_at, acknowledged_by_name }) => ({
      id,
      name,
      ...presentAlertName(name),
      reason,
      severity,
      began_at: isoTime(began_at * 1000),
      ended_at: ended_at === null ? null : isoTime(ended_at * 1000),
      acknowledged_at: acknowledged_at === null ? null : isoTime(acknowledged_at * 1000),
      acknowledged_by: acknowledged_by_name,
    })),
    silences: silences.map(({ id, starts_at, until, comment }) => ({
      id,
      starts_at: isoTime(starts_at),
      until: isoTime(until),
      comment,
    })),
    changes: changes.map(({ id, event, revision, changed_at, changed_by_name, fields }) => ({
      id,
      event,
      revision,
      changed_at: isoTime(changed_at),
      changed_by_name,
      fields: fields.map(({ field }) => field),
    })),
    annotations: annotations.map((row) => {
      const { id, kind, url, at } = row
      return { id, kind, title: titleOf(row), url, at: isoTime(at) }
    }),
    corrections: corrections.map(({ id, category, text, startSeconds, endSeconds }) => ({
      id,
      category,
      text,
      from: isoTime(startSeconds * 1000),
      to: isoTime(endSeconds * 1000),
    })),
  }
}
