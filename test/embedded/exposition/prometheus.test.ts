import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { AppError } from '../../../src/errors.ts'
import { parseExposition } from './parse-exposition.ts'
import type { Sample } from '../../../src/embedded/exposition/scrape-cache.ts'
import { cleanUpAtTheEnd } from '../../support/kit.ts'
import { describeOnNewer } from '../../support/newer-components.ts'
import { openMetricsBytes, openMetricsCases, textBytes, textCases } from './corpus.ts'
import { exposition, type Format } from './generated.ts'
import { contentTypes, scrapeAll, type Scraped, type Served, seriesKey } from './scraped.ts'

const seed = 20261121
const generated = 100 // of each format
const now = Math.floor(Date.now() / 1000)
const storedForMs = 25 * 60_000

const written = (format: Format, cases: string[]): Served[] =>
  cases.map((one) => ({ format, body: Buffer.from(one.replaceAll('NOW', String(now))) }))
const inBytes = (format: Format, cases: string[]): Served[] =>
  cases.map((one) => ({ format, body: Buffer.from(one, 'latin1') }))
const handPicked = [
  ...written('text', textCases),
  ...written('openmetrics', openMetricsCases),
  ...inBytes('text', textBytes),
  ...inBytes('openmetrics', openMetricsBytes),
]
const random = (['text', 'openmetrics'] as const).flatMap((format) =>
  written(format, fc.sample(exposition(format, now), { seed, numRuns: generated })),
)

describeOnNewer('the parser and the scraper of a real Prometheus', () => {
  const dir = mkdtempSync(join(tmpdir(), 'nines-scraped-'))
  const cleanUp = cleanUpAtTheEnd(dir)
  let scraped: Scraped[] = []
  beforeAll(async () => {
    scraped = await scrapeAll(join(dir, 'prometheus'), [...handPicked, ...random])
  }, 60_000)
  afterAll(cleanUp)

  test('accept and refuse the same, and read the same values', () => {
    const differences = [...handPicked, ...random].flatMap((served, at) => {
      const difference = compare(served, scraped[at] ?? { error: 'not scraped' })
      return difference ? [`${served.format} ${JSON.stringify(served.body.toString('latin1'))}: ${difference}`] : []
    })
    expect(differences).toEqual([])
  })

  test('the generated ones are neither all good nor all bad', () => {
    const good = scraped.slice(handPicked.length).filter((one) => 'series' in one).length
    expect(good).toBeGreaterThan(generated * 0.5)
    expect(good).toBeLessThan(generated * 1.5)
  })
})

function compare({ format, body }: Served, theirs: Scraped): string | undefined {
  let samples: Sample[]
  try {
    samples = parseExposition(body, { contentType: contentTypes[format] }).samples
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (strictOnPurpose(error, body)) return undefined
    return 'error' in theirs ? undefined : `only we refuse: ${error.details}`
  }
  if ('error' in theirs) return `only Prometheus refuses: ${theirs.error}`
  const stored = ({ timestampMs }: Sample) =>
    timestampMs === undefined || (timestampMs > now * 1000 - storedForMs && timestampMs <= now * 1000 + 1000)
  // Prometheus' storage drops those and later samples of the same series
  if (!samples.every(stored)) return undefined
  const ours = expected(samples)
  const missing = [...ours.keys()].filter((key) => !theirs.series.has(key))
  const extra = [...theirs.series.keys()].filter((key) => !ours.has(key))
  if (missing.length + extra.length > 0) return `only ours: ${missing.join(' ')}, only theirs: ${extra.join(' ')}`
  for (const [key, want] of ours) {
    const got = theirs.series.get(key) ?? new Map<number, number>()
    for (const [atMs, value] of want.timed) {
      if (!Object.is(got.get(atMs), value)) return `${key} at ${atMs}: ${value}, and there ${got.get(atMs)}`
    }
    const others = [...got].filter(([atMs]) => !want.timed.has(atMs))
    for (const [, value] of others) {
      if (!Object.is(want.untimed ?? want.again, value)) return `${key}: ${want.untimed}, and there ${value}`
    }
    if (want.untimed !== undefined && others.length === 0) return `${key}: ${want.untimed}, and there none`
  }
  return undefined
}

/**
 * Deliberately stricter than Prometheus. A label twice: Prometheus drops it if one is empty, and does not check samples far in
 * the future. Spaces before a name: Prometheus takes them as a part of the name.
 */
function strictOnPurpose({ details = '' }: AppError, body: Buffer): boolean {
  if (details.includes('a sample at the start of the line')) return true
  return details.includes('expected each label once') && /""|\d{14}/.test(body.toString('latin1'))
}

/** `again`: the sample that Prometheus keeps if the series is spelled differently the second time. */
type Expected = { timed: Map<number, number>; untimed?: number; again?: number }

/** Samples that storage keeps: of each series those newer than the last, and without a timestamp only the first. */
function expected(samples: Sample[]): Map<string, Expected> {
  const all = new Map<string, Expected>()
  for (const { labels, value, timestampMs } of samples) {
    const key = seriesKey(labels)
    const one: Expected = all.get(key) ?? { timed: new Map() }
    all.set(key, one)
    if (one.untimed !== undefined) continue
    if (timestampMs === undefined && one.timed.size === 0) one.untimed = value
    else if (timestampMs === undefined) one.again ??= value
    else if (timestampMs > Math.max(0, ...one.timed.keys())) one.timed.set(timestampMs, value)
  }
  return all
}
