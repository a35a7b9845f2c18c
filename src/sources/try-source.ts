import { type Clock, stopwatch } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { AppError } from '../errors.ts'
import { changedAuth, originChange, unsealAuth } from '../http/endpoint-auth.ts'
import { unstoredSourceId } from './source-status.ts'
import type { SourceCreation, SourceTrial, SourceUpdate } from './model.ts'
import { type Source, sampleNumber, type SourceAccess, type SourceOpener } from './source.ts'
import { assertWithoutAuth } from './sources.ts'
import { getSource } from './store.ts'

type Deps = { db: Database; clock: Clock; seal: Seal; opener: SourceOpener }

const timeoutMs = 10_000 // a person waits for it
const maxJobs = 20
const maxJobLength = 200

/** Tests a source that is not stored, and stores nothing; throws `invalid` if it cannot be queried. */
export async function tryUnsaved(deps: Deps, organizationId: number, creation: SourceCreation) {
  const auth = changedAuth(creation.auth, null, null, creation.api_url)
  assertWithoutAuth(creation.api_url, auth !== null)
  return trySource(deps, { id: unstoredSourceId, organizationId, name: creation.name, apiUrl: creation.api_url, auth })
}

/** Tests a stored source as it would be after a change; stores nothing. */
export async function tryChanged(deps: Deps, organizationId: number, id: number, update: SourceUpdate) {
  const stored = await getSource(deps.db.read, organizationId, id)
  const { name = stored.name, api_url: apiUrl = stored.api_url } = update
  const authBefore = unsealAuth(deps.seal, 'data_sources.sealed_auth', stored)
  const auth = changedAuth(update.auth, authBefore, originChange(apiUrl, stored.api_url), apiUrl)
  assertWithoutAuth(apiUrl, auth !== null)
  const isChanged = apiUrl !== stored.api_url || !Bun.deepEquals(auth, authBefore)
  return trySource(deps, { id: isChanged ? unstoredSourceId : id, organizationId, name, apiUrl, auth })
}

async function trySource(
  { opener, clock }: Pick<Deps, 'opener' | 'clock'>,
  access: SourceAccess,
): Promise<SourceTrial> {
  const beganMs = stopwatch.now()
  const queryOptions = () => ({ urgent: true, timeoutMs, elapsedMs: stopwatch.now() - beganMs })
  try {
    const source = opener.open(access)
    const { data, durationMs } = await source.instant('up', Math.floor(clock.now() / 1000), queryOptions())
    const series = data.resultType === 'vector' ? data.result : []
    const isUp = ({ value }: (typeof series)[number]) => value !== undefined && sampleNumber(value[1]) === 1
    const jobs = [...new Set(series.map(({ metric }) => String(metric['job'] ?? '').slice(0, maxJobLength)))]
    return {
      ok: true,
      error: null,
      duration_ms: Math.round(durationMs),
      version: await versionOf(source, queryOptions()),
      targets: { all: series.length, up: series.filter(isUp).length, jobs: jobs.filter(Boolean).slice(0, maxJobs) },
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const duration_ms = Math.round(stopwatch.now() - beganMs)
    return { ok: false, error: error.details ?? error.message, duration_ms, version: null, targets: null }
  }
}

/** Version of a source; null if it has none, or if the query for it fails. */
async function versionOf(
  source: Source,
  options: Parameters<NonNullable<Source['version']>>[0],
): Promise<string | null> {
  try {
    return (await source.version?.(options))?.data ?? null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
