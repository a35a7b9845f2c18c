import { t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { ProbeRow } from '../../db/tables/tables.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Message } from '../../http/schemas.ts'
import { type CollectedDeps, collectedRoutes, paramsOf } from '../collection/collected-routes.ts'
import { probeRows } from '../collection/collected-store.ts'
import { Trial } from '../collection/fields-model.ts'
import type { Pinger } from '../probing/pinger.ts'
import { presentProbe, Probe, ProbeCreation, ProbeUpdate } from './model.ts'
import { changedProbe, changeProbe, createProbe, removeProbe, unsavedProbe } from './probes.ts'

type Deps = CollectedDeps & { clock: Clock; seal: Seal; pinger: Pinger }

const params = paramsOf('probe')
const ProbeList = t.Object({ probes: t.Array(Probe), total: t.Number() })
const conflict = { 409: 'The name is in use, or there are too many probes' }

const operations = {
  try: operation('tryProbe', 'Run a probe that is not stored, and keep nothing', {
    description:
      'For administrators. Takes the body that would create the probe and runs it once. `findings` has its ' +
      'phases. A probe that fails is `ok: false` with the reason, not an error.',
    body: ProbeCreation,
    200: Trial,
  }),
  test: operation('testProbe', 'Run a probe now, with these changes of it, and keep nothing', {
    description:
      'For administrators. Without a body it runs as it is stored. Headers and credentials do not follow a target to another ' +
      'origin (scheme, host and port): they have to be in the body then.',
    params,
    body: ProbeUpdate,
    200: Trial,
  }),
  list: operation('listProbes', 'List what is probed, and how that goes', {
    description: 'All of them in one answer, each with its last 20 runs and when the next is.',
    200: ProbeList,
  }),
  get: operation('getProbe', 'One probe; credentials and values of headers are masked', {
    description:
      'With `health`: how the last run went, the last 20 runs, when the next is, and in `findings` the phases ' +
      'and the expiry of the certificate.',
    params,
    200: Probe,
  }),
  create: operation('createProbe', 'Probe something', {
    description:
      'For administrators. It runs every `interval_seconds`, by default 30, from now on, and writes ' +
      '`probe_success` and other series of the blackbox exporter with its name as `job`. `settings` is decided ' +
      'by `type`. `icmp` is refused where this machine lets no `ping` be sent; the error says why.',
    body: ProbeCreation,
    201: Probe,
    ...conflict,
  }),
  update: operation('updateProbe', 'Change a probe; fields that are not sent, and masked secrets, stay', {
    description:
      'For administrators. `settings` are replaced as a whole. A mask that is sent back leaves the stored ' +
      'secret, unless the target is at another origin (scheme, host and port): then headers and credentials have ' +
      'to be sent again.',
    params,
    body: ProbeUpdate,
    200: Probe,
    ...conflict,
  }),
  remove: operation('deleteProbe', 'Delete a probe; its samples stay', {
    description: 'For administrators. Its series end; what was measured is kept for SAMPLES_RETENTION_DAYS.',
    params,
    200: Message,
  }),
}

/** Routes of `/embedded/probes`. */
export const probeRoutes = (deps: Deps) =>
  collectedRoutes<ProbeRow, ProbeCreation, ProbeUpdate>(
    deps,
    {
      kind: 'probe',
      rows: probeRows,
      present: (row, health) => presentProbe(deps.seal, row, health),
      unsavedItem: (organizationId, creation) => unsavedProbe(organizationId, creation),
      changedItem: (organizationId, id, update) => changedProbe(deps, organizationId, id, update),
      create: (caller, creation) => createProbe(deps, caller, creation),
      change: (caller, id, update) => changeProbe(deps, caller, id, update),
      remove: (caller, id) => removeProbe(deps, caller, id),
    },
    operations,
  )
