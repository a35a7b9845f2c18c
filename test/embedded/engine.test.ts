import { describe, expect, test } from 'bun:test'
import { createEngine } from '../../src/embedded/engine.ts'
import type { Matcher } from '../../src/embedded/promql/matchers.ts'
import type { Series } from '../../src/embedded/promql/reader.ts'
import { AppError } from '../../src/errors.ts'

const atMs = 1_795_255_200_000

function series(n: number): Series {
  return { labels: { __name__: 'one', n: `${n}` }, timesMs: Float64Array.of(atMs), values: Float64Array.of(1) }
}

/** A millisecond passes with each look at its clock, and a query may take a day. */
function engineOver(select: (matchers: readonly Matcher[]) => Iterable<Series>) {
  const seen = { looks: 0, read: 0 }
  const clock = { now: () => (seen.looks += 1) }
  function* reading(_organizationId: number, matchers: readonly Matcher[]) {
    for (const one of select(matchers)) {
      seen.read += 1
      yield one
    }
  }
  return { seen, engine: createEngine({ store: { select: reading }, timeoutMs: 86_400_000, clock }) }
}

const kindOf = (answer: Promise<unknown>) =>
  answer.then(
    () => null,
    (error: unknown) => (error instanceof AppError ? error.kind : error),
  )

describe('everything else is not held up for long by', () => {
  test('planning a query', async () => {
    const { engine, seen } = engineOver(() => [])
    const range = { startMs: atMs - 6_000_000, endMs: atMs, stepMs: 1000 }
    const query = Array(10).fill('count_over_time(vector(1)[1h:1s])').join(' + ')
    expect(await kindOf(engine.range(1, query, range))).toBe('too_slow')
    expect(seen.looks).toBeLessThan(2100)
  })

  test('looking for series of a pattern', async () => {
    let values = 0
    const { engine } = engineOver(function* ([matcher]) {
      for (values = 0; values < 10_000; values += 1) if (matcher?.fits(`${values}`)) yield series(values)
    })
    expect(await kindOf(engine.instant(1, 'one{n=~"1.*2.*3"}', atMs))).toBe('too_slow')
    expect(values).toBeLessThan(2100)
  })

  test('reading what could not be foreseen', async () => {
    const { engine, seen } = engineOver(function* ([matcher]) {
      for (let n = 0; n < (matcher?.value === 'few' ? 1 : 50_000); n += 1) yield series(n)
    })
    const query = 'topk(scalar(few), few) unless many' // without samples the number is none, and planning ends there
    expect(await kindOf(engine.instant(1, query, atMs))).toBe('too_slow')
    expect(seen.read).toBeLessThan(2100)
  })
})

test('however many queries of an organization are under way, there is a place for another', async () => {
  const { engine } = engineOver(function* ([matcher]) {
    for (let n = 0; n < (matcher?.value === 'many' ? 300 : 1); n += 1) yield series(n)
  })
  const done: string[] = []
  const ask = async (organizationId: number, query: string) => {
    await engine.instant(organizationId, query, atMs)
    done.push(`${organizationId} ${query}`)
  }
  await Promise.all([ask(1, 'many'), ask(1, 'many'), ask(1, 'few'), ask(2, 'few')])
  expect(done).toEqual(['2 few', '1 many', '1 few', '1 many'])
})
