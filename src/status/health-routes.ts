import { Elysia, t } from 'elysia'
import { operation } from '../http/openapi/operation.ts'
import { type Clock, isoTime, minuteMs } from '../clock.ts'
import { conditionNames, type Conditions } from './watch/conditions.ts'
import { succeeds } from './readiness.ts'
import type { Summary } from './summary-store.ts'

/** Checks of the parts of nines: true if the part works. None of them throws. */
export type Health = {
  cache: () => Promise<boolean>
  notifications: () => boolean
  websocket: () => boolean
  clock: () => boolean
}

type Deps = {
  clock: Clock
  health: Health
  conditions: Pick<Conditions, 'list'>
  /** Throws while nines cannot serve requests. */
  readiness: () => Promise<void>
  summary: () => Promise<Summary>
  startedAtMs: number
}

const Status = t.String({
  description: '`ok`, or `degraded` where one of the services does not work or one of the conditions holds',
  examples: ['ok'],
})
const Timestamp = t.String({ examples: ['2026-11-21T10:00:00.000Z'] })

const ConditionList = t.Array(
  t.Object({
    name: t.String({ description: `one of ${conditionNames.join(', ')}`, examples: ['disk_nearly_full'] }),
    since: t.String({ examples: ['2026-11-21T10:00:00.000Z'] }),
    message: t.String({ description: 'what is wrong' }),
    advice: t.String({ description: 'what to do about it' }),
  }),
  { description: 'what is wrong with nines itself; empty where nothing is' },
)

const PartsHealth = t.Object({
  status: Status,
  timestamp: Timestamp,
  services: t.Object({
    database: t.Boolean({ description: 'the database can be written to, as /ready has it' }),
    cache: t.Boolean({ description: 'the cache can be read' }),
    notifications: t.Boolean({ description: 'the outbox is being looked through' }),
    websocket: t.Boolean({ description: 'connections are accepted' }),
    clock: t.Boolean({ description: 'the clock of the machine was not set within the last ten minutes' }),
  }),
  conditions: ConditionList,
})

const PublicStatus = t.Object({
  status: Status,
  uptime: t.String({ examples: ['3d 2h 15m'] }),
  timestamp: Timestamp,
  services: t.Object({
    api: t.Boolean(),
    database: t.Boolean({ description: 'the database can be written to, as /ready has it' }),
    cache: t.Boolean({ description: 'the cache can be read' }),
  }),
  conditions: ConditionList,
  slos: t.Object({
    total: t.Number({ multipleOf: 1, description: 'how many active SLOs all organizations have' }),
    healthy: t.Number({
      multipleOf: 1,
      description: 'how many whose last value, or that of one of their stored queries, meets the target',
    }),
    violated: t.Number({ multipleOf: 1, description: 'how many that have values, of which none does' }),
    no_data: t.Number({ multipleOf: 1, description: 'how many without a value in the last 24 hours' }),
  }),
})

/** Routes for the health of nines, without a token. */
export const healthRoutes = ({ clock, health, conditions, readiness, summary, startedAtMs }: Deps) =>
  new Elysia({ tags: ['Operations'], detail: { security: [] } })
    .get(
      '/health',
      async () => {
        const { cache, notifications, websocket, clock: isSteady } = health
        const services = {
          database: await succeeds(readiness),
          cache: await cache(),
          notifications: notifications(),
          websocket: websocket(),
          clock: isSteady(),
        }
        const conditionList = presentConditions(conditions)
        return {
          status: statusOf(services, conditionList),
          timestamp: isoTime(clock.now()),
          services,
          conditions: conditionList,
        }
      },
      operation('getHealth', 'Whether each part works', {
        description:
          'Says of each part whether it works, and lists the conditions of nines itself that hold, with advice. ' +
          'The status of the answer is 200 also where `status` is `degraded`; `/ready` is for probes.',
        200: PartsHealth,
      }),
    )
    .get(
      '/status/public',
      async () => {
        const services = { api: true, database: await succeeds(readiness), cache: await health.cache() }
        const conditionList = presentConditions(conditions)
        return {
          status: statusOf(services, conditionList),
          uptime: uptimeText(clock.now() - startedAtMs),
          timestamp: isoTime(clock.now()),
          services,
          conditions: conditionList,
          slos: await summary(),
        }
      },
      operation('getPublicStatus', 'How the instance and its SLOs are, in numbers', {
        description:
          'For a status page: uptime, services, conditions, and how many active SLOs of all organizations meet ' +
          'their targets. It names no organization and no SLO. An SLO is `healthy` if its last value, or that of one of its active ' +
          'stored queries of the type `availability` or `ratio`, meets the target; `violated` if there are values and none does; `no_data` ' +
          'without a value in the last 24 hours. Paused SLOs are not counted.',
        200: PublicStatus,
      }),
    )

function presentConditions(conditions: Pick<Conditions, 'list'>) {
  return conditions
    .list()
    .map(({ name, sinceMs, message, advice }) => ({ name, since: isoTime(sinceMs), message, advice }))
}

function statusOf(services: Record<string, boolean>, conditionList: unknown[]): string {
  return Object.values(services).every(Boolean) && conditionList.length === 0 ? 'ok' : 'degraded'
}

/** Formats an uptime in days, hours and whole minutes, without leading units that are 0: `3d 2h 15m`, `2h 0m`, `15m`. */
export function uptimeText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / minuteMs))
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'm'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  const units = first === -1 ? parts.slice(-1) : parts.slice(first)
  return units.map(([count, unit]) => `${count}${unit}`).join(' ')
}
