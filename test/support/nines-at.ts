import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createServer } from '../../src/server.ts'
import type { Evaluation } from '../../src/evaluation/evaluation-store.ts'
import type { EvaluatedMinute } from './timed-nines.ts'

/** Child process of `timed-nines.ts`: nines with a clock that the parent sets. */
const startMs = Number(process.env['NOW_MS'])
let nowMs = startMs
const clock = { now: () => nowMs }
const stopwatch = { now: () => performance.now() + nowMs - startMs }
const app = openApp(readConfig(process.env), { clock, stopwatch })
const server = createServer(app).listen({ hostname: '127.0.0.1', port: 0 })

async function evaluateAt(timeMs: number): Promise<Evaluation[]> {
  nowMs = timeMs
  const evaluations = await app.evaluator.evaluateAll()
  await app.backfills.run()
  await deliverAll()
  return evaluations
}

/** Delivers everything due. `run` does not wait for deliveries that started when they were queued, so this polls. */
async function deliverAll(): Promise<void> {
  const sending = app.db.read.selectFrom('notifications').select('id').where('status', '=', 'sending').limit(1)
  await app.delivery.run()
  while (await sending.executeTakeFirst()) {
    await Bun.sleep(5)
    await app.delivery.run()
  }
}

process.on('message', (timeMs: number) => {
  void evaluateAt(timeMs).then((evaluations) => process.send?.({ timeMs, evaluations } satisfies EvaluatedMinute))
})
process.send?.({ url: `http://127.0.0.1:${server.server?.port}` })
