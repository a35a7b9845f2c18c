import { Elysia } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { listUsedCertificates } from './certificate-store.ts'
import { CertificateList, presentUsed } from './model.ts'

type Deps = { db: Database; clock: Clock; guard: GuardDeps }

/** `/certificates`: certificates of the servers that an organization's probes, data sources and channels connect to. */
export const certificateRoutes = ({ db, clock, guard }: Deps) =>
  new Elysia({ prefix: '/certificates', tags: ['Targets and probes'] })
    .use(signedIn({ ...guard, writes: 'admin' }))
    .get(
      '/',
      async ({ caller: { organizationId } }) => {
        const used = await listUsedCertificates(db.read, { organizationId })
        const nowSeconds = Math.floor(clock.now() / 1000)
        return { certificates: used.map((one) => presentUsed(one, nowSeconds)), total: used.length }
      },
      operation('listCertificates', 'List the certificates of probes, data sources and channels', {
        description:
          'Those of active ones, as last seen; the first to expire comes first. A probe sees the certificate at each ' +
          'run. Those of data sources and channels are read once a day, hourly while they are `expiring`, `expired` or cannot be read.',
        200: CertificateList,
      }),
    )
