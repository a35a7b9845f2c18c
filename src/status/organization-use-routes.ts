import { Elysia, t } from 'elysia'
import { AppError } from '../errors.ts'
import { operation } from '../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { type OrganizationUse, readOrganizationUse, type UseDeps } from './organization-use.ts'

type Deps = UseDeps & {
  /** True for the instance's first organization, whose administrators run the instance. */
  isFirst: (organizationId: number) => Promise<boolean>
  guard: GuardDeps
}

const maxOrganizations = 100

const OrganizationUses = t.Object(
  {
    organization_count: t.Number({ description: 'how many organizations there are' }),
    organizations: t.Array(
      t.Object({
        id: t.Number(),
        name: t.String(),
        samples_bytes: t.Number({ description: 'bytes of its samples in samples.db' }),
        series: t.Number({ description: 'how many series it has, which are in memory' }),
        slos: t.Number({ description: 'how many SLOs it has, without deleted ones' }),
        cache_bytes: t.Number({ description: 'bytes of its cached results, before compression' }),
        cache_memory_bytes: t.Number({ description: 'bytes of those results that are also in memory' }),
      }),
      { description: `most bytes first, at most ${maxOrganizations}` },
    ),
  },
  { title: 'OrganizationUses' },
)

/** Memory and disk use by organization, for administrators of the first one. Besides these figures it shows only the names. */
export const organizationUseRoutes = ({ guard, isFirst, ...deps }: Deps) =>
  new Elysia({ prefix: '/organization/system/organizations', tags: ['Organization'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin' }))
    .get(
      '/',
      async ({ caller }) => {
        if (!(await isFirst(caller.organizationId))) {
          const details = 'must be an administrator of the first organization: this is about all organizations'
          throw new AppError('forbidden', 'Insufficient permissions', { details })
        }
        const { count, use } = await readOrganizationUse(deps, maxOrganizations)
        return { organization_count: count, organizations: use.map(presentUse) }
      },
      operation('listOrganizationUse', 'Memory and disk use by organization', {
        description:
          'For administrators of the first organization: who uses the machine. Most figures are counters that nines keeps, so that ' +
          'reading them is cheap. The quotas of an organization are under `/organization/quotas`.',
        200: OrganizationUses,
      }),
    )

function presentUse({ id, name, series, slos, ...bytes }: OrganizationUse) {
  return {
    id,
    name,
    samples_bytes: bytes.samplesBytes,
    series,
    slos,
    cache_bytes: bytes.cacheBytes,
    cache_memory_bytes: bytes.cacheMemoryBytes,
  }
}
