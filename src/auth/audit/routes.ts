import { Elysia } from 'elysia'
import { type Clock, isoTime } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { textResponse } from '../../http/openapi/by-hand.ts'
import { operation } from '../../http/openapi/operation.ts'
import { type Page, pageFields, readPage } from '../../http/paging.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import type { Log } from '../../log.ts'
import { type ExportFormat, exportEntries, exportContentTypes } from './export.ts'
import { AuditPage, AuditQuery, filterOf, presentEntry } from './model.ts'
import { type AuditFilter, listAuditEntries } from './store.ts'

type Deps = { db: Database; clock: Clock; log: Log; guard: GuardDeps }

/** Routes of `/audit-log`: administrators read it, nobody changes it. */
export const auditRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/audit-log', tags: ['Audit log'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin' }))
    .get(
      '/',
      ({ caller, query, request }) => {
        const { format = 'json' } = query
        const filter = filterOf(query)
        if (format === 'json') return onePage(deps.db, caller.organizationId, filter, readPage(query))
        return attachment(deps, caller.organizationId, { format, filter, hasBody: request.method === 'GET' })
      },
      operation('listAuditEntries', 'List or export audit entries, newest first', {
        description:
          'For administrators. Exports hold every selected entry; `page` and `page_size` are for `format=json`. `from` is included, `to` is not.',
        query: AuditQuery,
        200: AuditPage,
        responses: {
          200: textResponse('A page of entries, or with `format` a file of all', 'text/csv', 'application/x-ndjson'),
        },
      }),
    )

async function onePage({ read }: Database, organizationId: number, filter: AuditFilter, page: Page) {
  const { rows, total } = await listAuditEntries(read, organizationId, { ...filter, ...page })
  return { entries: rows.map(presentEntry), ...pageFields(page, total) }
}

type Export = { format: ExportFormat; filter: AuditFilter; hasBody: boolean }

/** Exports every selected entry as a file. Empty for HEAD, for which Elysia would read everything to learn the length. */
function attachment(
  { db, clock, log }: Omit<Deps, 'guard'>,
  organizationId: number,
  { format, filter, hasBody }: Export,
) {
  const onError = (error: unknown) => log.error('export of the audit log failed', { error })
  const day = isoTime(clock.now()).slice(0, 10)
  return new Response(hasBody ? exportEntries(db.read, organizationId, { format, filter, onError }) : null, {
    headers: {
      'content-type': exportContentTypes[format],
      'content-disposition': `attachment; filename="audit-log-${day}.${format}"`,
      'cache-control': 'no-store',
    },
  })
}
