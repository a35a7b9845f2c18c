import { setImmediate as turn } from 'node:timers/promises'
import type { TestApp } from './app.ts'

/**
 * Ticks until the SLO has been evaluated at this time. One tick may not be enough: while the last round of a source is under
 * way, its next is left to a later tick.
 */
export async function evaluateByTicks({ app, clock }: TestApp): Promise<void> {
  const read = () => app.db.read.selectFrom('slo_states').select('evaluated_at').executeTakeFirst()
  do {
    app.evaluator.tick()
    await turn()
  } while ((await read())?.evaluated_at !== clock.now())
}
