import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { AppError, assertNone, type Problem } from '../errors.ts'
import { embeddedUrl } from './embedded-source.ts'
import { fillPlaceholders, readTemplate } from '../promql/analysis/placeholders.ts'
import type { SourceOpener } from './source.ts'
import { getUsableSource, openRow } from './store.ts'

type Deps = { db: Database; clock: Clock; seal: Seal; opener: SourceOpener }

/** Query that is about to be stored; `sourceId` null: the default source. */
export type QueryToStore = { field: string; text: string; organizationId: number; sourceId: number | null }

export type AssertReadable = (queries: QueryToStore[]) => Promise<void>

const timeoutMs = 5000

/**
 * Throws `invalid`, naming field and character, for each query that is no PromQL. A query that the grammar rejects is sent to its
 * source, which may read more than PromQL (MetricsQL). It is invalid only if the source rejects it too or does not answer. A query
 * too long or too deep for the grammar to read is accepted.
 */
export function createAssertReadable(deps: Deps): AssertReadable {
  return async (queries) => {
    const problems: Problem[] = []
    for (const query of queries) {
      const { problem } = readTemplate(query.text)
      if (!problem || problem.isLimit) continue
      const refusal = await refusalOf(deps, query)
      if (refusal === null) continue
      const character = problem.position + 1
      const reason = `${problem.message}, at character ${character}`
      const message = `must be PromQL: ${reason}${refusal}. With "force": true it is stored as it is`
      problems.push({ field: query.field, message, code: 'not_promql', params: { character } })
    }
    assertNone(problems)
  }
}

/**
 * Message of the source that rejects a query; empty for the embedded source, or without an answer; null: it accepts the query.
 */
async function refusalOf(deps: Deps, { text, organizationId, sourceId }: QueryToStore): Promise<string | null> {
  try {
    const row = await getUsableSource(deps.db.read, organizationId, sourceId)
    if (row.api_url === embeddedUrl) return ''
    const options = { urgent: true, timeoutMs }
    await openRow(deps, row).instant(fillPlaceholders(text, 300), Math.floor(deps.clock.now() / 1000), options)
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.kind === 'source_refused' ? ` (the source: ${error.details ?? 'refused'})` : ''
  }
}
