import { afterAll, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'
import { describeWithFakeTime } from '../support/fake-time.ts'
import { seeded } from '../support/seeded.ts'
import { someOfEach, runBreaks, takeFrom } from './rounds.ts'
import { tableOf } from './table.ts'

afterAll(closeAll)

const seed = Number(process.env['NINES_CHAOS_SEED'] ?? 15)
const maxOf = {
  clock: 2,
  page: 4,
  disk: 3,
  source: 3,
  target: 1,
  receiver: 2,
  secret: 2,
  folder: 2,
  descriptors: 1,
  signal: 2,
}

describeWithFakeTime('chaos', () => {
  test('whatever is broken, nines is right, or says within a minute that it is not, and is right again after', async () => {
    const breaks = someOfEach(maxOf, seeded(seed))
    const outcomes = await runBreaks({ next: takeFrom(breaks), worlds: 5, seed, maxHoldMs: 5_000 })
    process.stderr.write(`seed ${seed}\n${tableOf(outcomes)}`)
    expect(outcomes.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))).toEqual([])
    const left = breaks.filter(({ name }) => !outcomes.some((outcome) => outcome.name === name))
    if (left.length > 0)
      process.stderr.write(`Not broken, nobody may mount here: ${left.map(({ name }) => name).join(', ')}\n`)
    expect(left.filter(({ needs }) => needs !== 'disk')).toEqual([])
  }, 600_000)
})
