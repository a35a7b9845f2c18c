import { type Clock, isoTime } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/seal.ts'
import type { DataSourceRow } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import type { SourceOpener } from './source.ts'
import { listSources, recordCheck } from './source-store.ts'
import { openRow } from './sources.ts'

type Deps = { db: Database; clock: Clock; seal: Seal; opener: SourceOpener; sourceTimeoutMs: number }

export type SourceHealth = {
  id: number
  organization_id: number
  name: string
  api_url: string
  is_active: boolean
  status: 'healthy' | 'unreachable'
  last_check: string
  error?: string
}

/** Nobody looks at a health page for as long as a heavy query may take. */
const mostPatienceMs = 10_000

/** Asks every active source for `up`, all at once and past the queue of ordinary queries; an empty answer is healthy. */
export async function checkSources(deps: Deps, organizationId: number): Promise<SourceHealth[]> {
  const rows = await listSources(deps.db.read, organizationId)
  return Promise.all(rows.filter((row) => row.is_active === 1).map((row) => checkSource(deps, row)))
}

async function checkSource(
  { db, clock, seal, opener, sourceTimeoutMs }: Deps,
  row: DataSourceRow,
): Promise<SourceHealth> {
  const nowMs = clock.now()
  const timeoutMs = Math.min(sourceTimeoutMs, mostPatienceMs)
  const error = await openRow({ seal, opener }, row)
    .instant('up', Math.floor(nowMs / 1000), { urgent: true, timeoutMs })
    .then(() => null, problemOf)
  await recordCheck(db.write, row.id, nowMs, error)
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    api_url: row.api_url,
    is_active: true,
    status: error === null ? 'healthy' : 'unreachable',
    last_check: isoTime(nowMs),
    ...(error === null ? {} : { error }),
  }
}

function problemOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error
  return error.details ?? error.message
}
