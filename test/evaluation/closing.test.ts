import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { InstantData, SourceOpener } from '../../src/sources/source.ts'
import { testApp, testStartMs } from '../support/app.ts'
import { countedSlo } from '../support/counting-source.ts'
import { dump } from '../support/populated.ts'

test('a source that hangs holds up no shutdown, and nothing is written of what it answers then', async () => {
  let asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const instant = async () => {
    asked.resolve()
    await answer.promise
    const data: InstantData = { resultType: 'scalar', result: [testStartMs / 1000, '1'] }
    return { data, warnings: [], infos: [], isPartial: false, durationMs: 0 }
  }
  const opener: SourceOpener = { open: () => ({ name: 'slow', instant, range: () => Promise.reject(new Error()) }) }
  const nines = await testApp({ env: { SOURCE_URL: 'http://slow.example' }, opener })
  await nines.join('ada')
  await nines.call('POST', '/api/v1/slos', countedSlo('shop'))

  nines.app.evaluator.tick()
  await asked.promise
  asked = Promise.withResolvers()
  const evaluating = nines.app.evaluator.evaluateAll()
  await asked.promise
  await nines.app.close()
  const before = dump(nines)
  answer.resolve()
  await expect(evaluating).rejects.toThrow()
  expect(dump(nines)).toEqual(before)
  expect(nines.logged.filter((line) => line.includes('"error"'))).toEqual([])
  rmSync(nines.dataDir, { recursive: true })
})
