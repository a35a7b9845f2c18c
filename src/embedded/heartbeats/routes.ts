import { Elysia, t } from 'elysia'
import { type Clock, isoTimeOrNull } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { HeartbeatRow } from '../../db/tables/tables.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id, Message } from '../../http/schemas.ts'
import { type Caller, type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { isAtLeast } from '../../role.ts'
import { heartbeatRows, listRuns, pingKeyMadeAt } from './heartbeat-store.ts'
import {
  changeHeartbeat,
  createHeartbeat,
  createPingKey,
  removeHeartbeat,
  rotateAddress,
  tokenOf,
} from './heartbeats.ts'
import type { Heartbeats } from './keeper.ts'
import {
  Heartbeat,
  HeartbeatCreation,
  HeartbeatDetail,
  HeartbeatUpdate,
  presentHeartbeat,
  presentRun,
} from './model.ts'

type Deps = {
  db: Database
  clock: Clock
  seal: Seal
  publicUrl: () => string
  heartbeats: Pick<Heartbeats, 'reload'>
  guard: GuardDeps
}

const params = t.Object({ id: Id('heartbeat') })
const HeartbeatList = t.Object({
  heartbeats: t.Array(Heartbeat),
  total: t.Number(),
  ping_key_created_at: t.Nullable(t.String({ description: 'null: there is no key for addresses with slugs' })),
})
const PingKey = t.Object(
  {
    ping_key: t.String(),
    url: t.String({ description: 'prefix of the ping addresses: the slug of a heartbeat follows' }),
  },
  { title: 'PingKey' },
)
const conflict = { 409: 'The name is in use, or there are too many heartbeats' }

/** `/embedded/heartbeats`: read by everybody, without their addresses; changed by administrators only. */
export const heartbeatRoutes = ({ guard, ...deps }: Deps) => {
  const { db, clock, seal, heartbeats } = deps
  const pingUrlOf = (rest: string) => `${deps.publicUrl().replace(/\/$/, '')}/ping/${rest}`
  const present = (caller: Caller, row: HeartbeatRow) =>
    presentHeartbeat(row, {
      nowMs: clock.now(),
      pingUrl: isAtLeast(caller.role, 'admin') ? pingUrlOf(tokenOf(seal, row)) : null,
    })
  const reloadAndPresent = async (caller: Caller, row: HeartbeatRow) => {
    await heartbeats.reload(caller.organizationId, row.id)
    return present(caller, row)
  }

  return new Elysia({ prefix: '/embedded/heartbeats', tags: ['Heartbeats'] })
    .use(signedIn({ ...guard, writes: 'admin' }))
    .get(
      '/',
      async ({ caller }) => {
        const rows = await heartbeatRows.list(db.read, caller.organizationId)
        const keyMadeAt = await pingKeyMadeAt(db.read, caller.organizationId)
        return {
          heartbeats: rows.map((row) => present(caller, row)),
          total: rows.length,
          ping_key_created_at: isoTimeOrNull(keyMadeAt),
        }
      },
      operation('listHeartbeats', 'List the heartbeats of jobs, with their states', {
        description:
          'The answer is not paged. Only administrators get `ping_url`, the secret address of each heartbeat.',
        200: HeartbeatList,
      }),
    )
    .get(
      '/:id',
      async ({ caller, params }) => {
        const row = await heartbeatRows.get(db.read, caller.organizationId, params.id)
        return { ...present(caller, row), last_runs: (await listRuns(db.read, row.id)).map(presentRun) }
      },
      operation('getHeartbeat', 'Get a heartbeat, with its last 50 runs', {
        description:
          'Each run has the first 10 kB of the text that the job sent. Reports that are not runs, such as logs, are listed too.',
        params,
        200: HeartbeatDetail,
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const row = await createHeartbeat(deps, caller, body)
        set.status = 201
        return reloadAndPresent(caller, row)
      },
      operation('createHeartbeat', 'Create a heartbeat, by which a job reports its runs', {
        description:
          'For administrators. Either `period_seconds` (a run is due that long after each report) or `cron` and ' +
          '`time_zone`. A run without a report `grace_seconds` (default 300) after its due time is missed. The job calls ' +
          '`ping_url`. Nothing is due before its first report. Writes `heartbeat_runs_total` and ' +
          '`heartbeat_runs_good_total`, from 0, with its name as `job`.',
        body: HeartbeatCreation,
        201: Heartbeat,
        ...conflict,
      }),
    )
    .put(
      '/:id',
      async ({ caller, params, body }) =>
        reloadAndPresent(caller, await changeHeartbeat(deps, caller, params.id, body)),
      operation('updateHeartbeat', 'Change or pause a heartbeat; fields that are not sent stay', {
        description:
          'For administrators. After another schedule, or a pause, the next run is due as the schedule says from now on. ' +
          '`is_active` false pauses it: reports are answered and not counted.',
        params,
        body: HeartbeatUpdate,
        200: Heartbeat,
        ...conflict,
      }),
    )
    .post(
      '/:id/rotate',
      async ({ caller, params }) => reloadAndPresent(caller, await rotateAddress(deps, caller, params.id)),
      operation('rotateHeartbeat', 'Give a heartbeat another address; the one before is unknown at once', {
        description: 'For administrators. No body is needed. Runs, series and SLOs stay.',
        params,
        200: Heartbeat,
      }),
    )
    .post(
      '/key',
      async ({ caller }) => {
        const key = await createPingKey(deps, caller)
        return { ping_key: key, url: pingUrlOf(`${key}/`) }
      },
      operation(
        'createPingKey',
        'Make the key for addresses with slugs, `/ping/<key>/<slug>`, and end the one before',
        {
          description: 'For administrators. No body is needed. The key is in this answer only: it is stored as a hash.',
          200: PingKey,
        },
      ),
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await removeHeartbeat(deps, caller, params.id)
        await heartbeats.reload(caller.organizationId, params.id)
        return { message: 'Heartbeat deleted' }
      },
      operation('deleteHeartbeat', 'Delete a heartbeat and its runs; its samples stay', {
        description: 'For administrators. Its address is unknown at once, and its series end.',
        params,
        200: Message,
      }),
    )
}
