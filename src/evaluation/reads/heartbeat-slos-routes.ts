import { Elysia, t } from 'elysia'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import type { Planner } from '../../sli/plan/planner.ts'
import { embeddedUrl } from '../../sources/embedded-source.ts'
import { listActiveSlos } from '../evaluation-store.ts'
import { probesReadBy, type ProbeStatus } from '../outage.ts'

type Deps = {
  db: Database
  planner: Planner
  guard: GuardDeps
  heartbeats: { checkOf(organizationId: number, id: number): Promise<Pick<ProbeStatus, 'labels' | 'metrics'>> }
}

const HeartbeatSlos = t.Object(
  {
    slos: t.Array(
      t.Object({
        id: t.Number(),
        name: t.String(),
        incident_id: t.Nullable(t.Number({ description: 'its open incident; null: there is none' })),
      }),
    ),
    total: t.Number(),
  },
  { title: 'HeartbeatSlos' },
)

/** `GET /embedded/heartbeats/:id/slos`: what a pause or deletion of a heartbeat is about. */
export const heartbeatSlosRoutes = ({ db, planner, guard, heartbeats }: Deps) =>
  new Elysia({ prefix: '/embedded/heartbeats', tags: ['Heartbeats'] }).use(signedIn({ ...guard, writes: 'admin' })).get(
    '/:id/slos',
    async ({ caller: { organizationId }, params }) => {
      const heartbeat = await heartbeats.checkOf(organizationId, params.id)
      const groups = await listActiveSlos(db.read, { organizationIds: [organizationId] })
      const ofEmbedded = groups.filter(({ source }) => source?.api_url === embeddedUrl).flatMap(({ slos }) => slos)
      const reading = (await planner.planAll(ofEmbedded)).flatMap(({ slo, plan: { probes } }) =>
        probes && probesReadBy(probes, [heartbeat]).length > 0 ? [slo] : [],
      )
      const open = await db.read
        .selectFrom('incidents')
        .select(['id', 'slo_id'])
        .where('organization_id', '=', organizationId)
        .where('closed_at', 'is', null)
        .execute()
      const incidentOf = new Map(open.map(({ id, slo_id }) => [slo_id, id]))
      return {
        slos: reading.map(({ id, name }) => ({ id, name, incident_id: incidentOf.get(id) ?? null })),
        total: reading.length,
      }
    },
    operation('listHeartbeatSlos', 'The SLOs that read a heartbeat, with their open incidents', {
      description:
        'Active ones. Once the heartbeat is paused or deleted, nothing is known of those that read no other: an outage ends, and its ' +
        'incident is closed.',
      params: t.Object({ id: Id('heartbeat') }),
      200: HeartbeatSlos,
    }),
  )
