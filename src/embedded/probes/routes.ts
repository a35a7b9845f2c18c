import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { ProbeRow } from '../../db/tables/tables.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id, Message } from '../../http/schemas.ts'
import { type GuardDeps, readJsonOrNothing, signedIn } from '../../http/signed-in.ts'
import { presentTrial, Trial } from '../collection/fields-model.ts'
import type { Collector } from '../collection/collector.ts'
import { changedProbe, changeProbe, createProbe, removeProbe, unsavedProbe } from './probes.ts'
import { presentProbe, Probe, ProbeCreation, ProbeUpdate } from './model.ts'
import { probeRows } from '../collection/collected-store.ts'
import type { Probe as CollectedProbe } from '../collection/target.ts'

type Deps = {
  db: Database
  clock: Clock
  seal: Seal
  collector: Pick<Collector, 'healthOf' | 'reload' | 'runOnce'>
  guard: GuardDeps
}

const params = t.Object({ id: Id('probe') })
const ProbeList = t.Object({ probes: t.Array(Probe), total: t.Number() })
const conflict = { 409: 'The name is in use, or there are too many probes' }

/** `/embedded/probes`: read by everybody, changed by administrators only, because nines probes from within its own network. */
export const probeRoutes = ({ guard, ...deps }: Deps) => {
  const { db, seal, collector } = deps
  const present = (row: ProbeRow) => presentProbe(seal, row, collector.healthOf('probe', row.id))
  const tryOut = async (definition: CollectedProbe) =>
    presentTrial('probe', await collector.runOnce({ kind: 'probe', definition }))

  return new Elysia({ prefix: '/embedded/probes', tags: ['Targets and probes'] })
    .use(signedIn({ ...guard, writes: 'admin', readBody: readJsonOrNothing }))
    .post(
      '/test',
      async ({ caller, body }) => tryOut(unsavedProbe(caller.organizationId, body)),
      operation('tryProbe', 'Run a probe that is not stored, and keep nothing', {
        description:
          'For administrators. Takes the body that would create the probe and runs it once. `findings` has its ' +
          'phases. A probe that fails is `ok: false` with the reason, not an error.',
        body: ProbeCreation,
        200: Trial,
      }),
    )
    .post(
      '/:id/test',
      async ({ caller, params, body }) => tryOut(await changedProbe(deps, caller.organizationId, params.id, body)),
      operation('testProbe', 'Run a probe now, with these changes of it, and keep nothing', {
        description:
          'For administrators. Without a body it runs as it is stored. Headers do not follow a target to another ' +
          'origin (scheme, host and port): they have to be in the body then.',
        params,
        body: ProbeUpdate,
        200: Trial,
      }),
    )
    .get(
      '/',
      async ({ caller }) => {
        const rows = await probeRows.list(db.read, caller.organizationId)
        return { probes: rows.map(present), total: rows.length }
      },
      operation('listProbes', 'List what is probed, and how that goes', {
        description: 'All of them in one answer, each with its last 20 runs and when the next is.',
        200: ProbeList,
      }),
    )
    .get(
      '/:id',
      async ({ caller, params }) => present(await probeRows.get(db.read, caller.organizationId, params.id)),
      operation('getProbe', 'One probe; values of headers are masked', {
        description:
          'With `health`: how the last run went, the 20 before it, when the next is, and in `findings` the phases ' +
          'and the expiry of the certificate.',
        params,
        200: Probe,
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const row = await createProbe(deps, caller, body)
        await collector.reload(caller.organizationId)
        set.status = 201
        return present(row)
      },
      operation('createProbe', 'Probe something', {
        description:
          'For administrators. It runs every `interval_seconds`, 30 where it is absent, from now on, and writes ' +
          '`probe_success` and other series of the blackbox exporter with its name as `job`. `settings` is decided ' +
          'by `type`.',
        body: ProbeCreation,
        201: Probe,
        ...conflict,
      }),
    )
    .put(
      '/:id',
      async ({ caller, params, body }) => {
        const row = await changeProbe(deps, caller, params.id, body)
        await collector.reload(caller.organizationId)
        return present(row)
      },
      operation('updateProbe', 'Change a probe; fields that are not sent, and masked values of headers, stay', {
        description:
          'For administrators. `settings` are replaced as a whole. A mask that is sent back leaves the stored ' +
          'value of a header, unless the target is at another origin (scheme, host and port): then headers have to ' +
          'be sent again.',
        params,
        body: ProbeUpdate,
        200: Probe,
        ...conflict,
      }),
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await removeProbe(deps, caller, params.id)
        await collector.reload(caller.organizationId)
        return { message: 'Probe deleted' }
      },
      operation('deleteProbe', 'Delete a probe; its samples stay', {
        description: 'For administrators. Its series end; what was measured is kept for SAMPLES_RETENTION_DAYS.',
        params,
        200: Message,
      }),
    )
}
