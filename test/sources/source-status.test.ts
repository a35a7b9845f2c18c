import { expect, test } from 'bun:test'
import { AppError } from '../../src/errors.ts'
import { createSourceAnswers } from '../../src/sources/source-status.ts'
import type { Answer, InstantData, Source } from '../../src/sources/source.ts'

const access = { id: 4, organizationId: 2, name: 'Main', apiUrl: 'https://prometheus.example', auth: null }
const answer: Answer<InstantData> = {
  data: { resultType: 'scalar', result: [0, '1'] },
  warnings: [],
  infos: [],
  isPartial: false,
  durationMs: 0,
}

/** Source of which each query takes `durationMs`, or fails with `error`; and the lines that were logged. */
function recorded() {
  const world = { nowMs: 1_000_000, durationMs: 0, error: undefined as Error | undefined }
  const logged: [message: string, fields: unknown][] = []
  const note = (message: string, fields?: unknown) => void logged.push([message, fields])
  const log = { debug: note, info: note, warn: note, error: note }
  const answers = createSourceAnswers({ clock: { now: () => world.nowMs }, log, config: { slowQuerySeconds: 0.001 } })
  const source: Source = {
    name: 'Main',
    async instant() {
      if (world.error) {
        await Bun.sleep(2)
        throw world.error
      }
      return { ...answer, durationMs: world.durationMs }
    },
    async range() {
      return { ...answer, data: [], durationMs: world.durationMs }
    },
  }
  return { world, logged, source: answers.recording({ open: () => source }).open(access) }
}

test('a query that takes long is logged with its text, once a minute with the number of others', async () => {
  const { world, logged, source } = recorded()
  world.durationMs = 0.9
  await source.instant('quick', 0)
  expect(logged).toEqual([])
  world.durationMs = 7000.4
  await source.instant('sum(up)', 0)
  await source.range('sum(down)', { startSeconds: 0, endSeconds: 60, stepSeconds: 60 })
  await source.instant('sum(down)', 0)
  const fields = { organization_id: 2, source_id: 4, duration_ms: 7000 }
  expect(logged.splice(0)).toEqual([['slow query', { ...fields, others: undefined, query: 'sum(up)' }]])
  world.nowMs += 60_000
  await source.instant(`up or ${'x'.repeat(2000)}`, 0)
  expect(logged).toEqual([['slow query', { ...fields, others: 2, query: `up or ${'x'.repeat(994)}` }]])
})

test('a query that gets no answer for as long is logged too', async () => {
  const { world, logged, source } = recorded()
  world.error = new AppError('source_unavailable', 'no answer')
  expect(await source.instant('up', 0).catch((error: unknown) => error)).toBe(world.error)
  expect(logged).toMatchObject([['slow query', { source_id: 4, query: 'up' }]])
})
