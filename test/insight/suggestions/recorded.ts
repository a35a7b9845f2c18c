import { join } from 'node:path'
import { importSamples } from '../../../src/embedded/import-samples.ts'
import type { Labels } from '../../../src/promql/labels.ts'
import { type Answer, type TestApp, testApp } from '../../support/app.ts'
import { shareWorkers } from '../../support/shared-workers.ts'
import { closeLater } from '../../support/closing.ts'
import { readExposition, type Sample } from '../../support/exposition.ts'

const day = 86_400
const hour = 3600
const everyHours = 3

/** Samples of an exposition in `expositions`, written after the documentation of the named program. */
export async function recorded(name: string): Promise<Sample[]> {
  const text = await Bun.file(join(import.meta.dir, 'expositions', `${name}.prom`)).text()
  return readExposition(text).samples
}

/** The samples with the labels that a scraper adds. */
export function scraped(samples: readonly Sample[], labels: Labels): Sample[] {
  return samples.map((one) => ({ ...one, labels: { ...labels, ...one.labels } }))
}

const counts = /_(total|count|bucket|sum|requests|rq_xx)$/

/** A nines whose embedded source has collected nothing yet. */
export async function emptySource(): Promise<TestApp> {
  const nines = await testApp({ env: { SOURCE_URL: 'embedded' }, workers: shareWorkers() })
  closeLater(nines.close)
  await nines.join('ada')
  return nines
}

type Times = { days?: number; endedHoursAgo?: number; isStill?: boolean }

/**
 * Fills the embedded source with one sample each three hours. Counters grow to these values over so many days, other metrics are
 * constant. `isStill`: counters are constant too.
 */
export async function collect(
  nines: TestApp,
  samples: readonly Sample[],
  { days = 30, endedHoursAgo = 0, isStill = false }: Times = {},
) {
  const end = Math.floor(nines.clock.now() / 60_000) * 60 - endedHoursAgo * hour
  const length = (days * 24) / everyHours + 1
  const ago = Array.from({ length }, (_, at) => days * day - at * everyHours * hour)
  const lines = samples.flatMap(({ name, labels, value }) =>
    ago.map((seconds) => {
      const then = !isStill && counts.test(name) ? value * (1 - seconds / (days * day)) : value
      return `${name}${written(labels)} ${then} ${end - seconds}\n`
    }),
  )
  const keepMs = nines.app.config.samplesRetentionDays * day * 1000
  async function* chunks() {
    yield Buffer.from(`${lines.join('')}# EOF\n`)
  }
  await importSamples({ store: nines.app.samples, clock: nines.app.clock, organizationId: 1, chunks: chunks(), keepMs })
}

export const suggestionsOf = (nines: TestApp, sourceId = 1, token?: string): Promise<Answer> =>
  nines.call('GET', `/api/v1/tsdb/sources/${sourceId}/suggestions`, undefined, token === undefined ? {} : { token })

/** Suggestions in the response; throws for an error. */
export async function foundIn(nines: TestApp) {
  const { status, body, text } = await suggestionsOf(nines)
  if (status !== 200) throw new Error(text)
  return body
}

function written(labels: Labels): string {
  const escaped = (value: string) =>
    value
      .replaceAll('\\', String.raw`\\`)
      .replaceAll('"', String.raw`\"`)
      .replaceAll('\n', String.raw`\n`)
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}
