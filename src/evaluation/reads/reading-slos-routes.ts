import { Elysia, type Static, t } from 'elysia'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { type Collected, type ReadingSlo, readingSlos } from './reading-slos.ts'

type Reader = (organizationId: number, id: number) => Promise<Collected>

type Deps = Omit<Parameters<typeof readingSlos>[0], 'db'> & {
  db: Database
  guard: GuardDeps
  /** Readers of what may be paused or deleted; throw `not_found`. */
  collected: { heartbeat: Reader; probe: Reader; target: Reader }
  samples: { whenFilled(): Promise<void> }
}

const ReadingSlos = t.Object(
  {
    slos: t.Array(
      t.Object({
        id: t.Number(),
        name: t.String(),
        reads_others: t.Boolean({ description: 'true: it reads other series too, and stays known' }),
        incident_id: t.Nullable(
          t.Number({ description: 'its open incident, which is closed then; null: there is none, or it stays open' }),
        ),
      }),
    ),
    total: t.Number(),
  },
  { title: 'ReadingSlos' },
)

const kinds = {
  heartbeat: { plural: 'heartbeats', tag: 'Heartbeats', operationId: 'listHeartbeatSlos', name: 'a heartbeat' },
  probe: { plural: 'probes', tag: 'Targets and probes', operationId: 'listProbeSlos', name: 'a probe' },
  target: { plural: 'targets', tag: 'Targets and probes', operationId: 'listTargetSlos', name: 'a target' },
}

/** `GET /embedded/heartbeats/:id/slos`, or of probes or targets: the SLOs that a pause or deletion would affect. */
export const readingSlosRoutes = ({ guard, collected, ...deps }: Deps, kind: keyof typeof kinds) => {
  const { plural, tag, operationId, name } = kinds[kind]
  const read = collected[kind]
  return new Elysia({ prefix: `/embedded/${plural}`, tags: [tag] }).use(signedIn({ ...guard, writes: 'admin' })).get(
    '/:id/slos',
    async ({ caller: { organizationId }, params }) => {
      const one = await read(organizationId, params.id)
      await deps.samples.whenFilled()
      const slos = (await readingSlos({ ...deps, db: deps.db.read }, organizationId, one)).map(present)
      return { slos, total: slos.length }
    },
    operation(operationId, `The SLOs that read ${name}, with their open incidents`, {
      description:
        `Active SLOs. Once the ${kind} is paused or deleted, nothing is known of SLOs that read no other series. If only checks ` +
        '(probes and heartbeats) found the outage of such an SLO, it ends, and its incident is closed.',
      params: t.Object({ id: Id(kind) }),
      200: ReadingSlos,
    }),
  )
}

function present({ id, name, readsOthers, incidentId }: ReadingSlo): Static<typeof ReadingSlos>['slos'][number] {
  return { id, name, reads_others: readsOthers, incident_id: incidentId }
}
