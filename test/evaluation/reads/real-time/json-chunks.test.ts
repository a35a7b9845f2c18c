import { expect, test } from 'bun:test'
import { type SloJson, writeDocument } from '../../../../src/evaluation/reads/real-time/json-chunks.ts'
import { countEventLoopIterations } from '../../../support/event-loop-iterations.ts'

const span = { fromMs: 0, untilMs: 60_000 }

test('the JSON of many SLOs with long texts is written in turns of the event loop', async () => {
  const text = '漢'.repeat(20_000)
  const parts = Array.from({ length: 1000 }, (): SloJson => ({
    ...span,
    texts: [`{"a":"${text}",`, '}'],
    measuredAtMs: 0,
  }))
  using turns = countEventLoopIterations()
  const { length } = await writeDocument(parts, span)
  expect(length).toBeGreaterThan(60_000_000)
  expect(turns.count()).toBeGreaterThan(4)
})
