import { openFilled } from '../support/nines-here.ts'

const steady = { state: 'ok' as const, state_since: null, state_reason: null, burn_rate_now: 0 }

/** Messages to the benchmark: the address, and after each `round` that it requests, that updates of all SLOs were sent. */
export type FromPageServer = { url: string } | 'sent'

/** Starts nines with `slos` SLOs and 30 days of each; half of them have no error budget left. */
async function serve(slos: number): Promise<void> {
  const { app, ids, listen } = await openFilled({ slos, exhausted: 5 })
  await app.db.write.updateTable('slo_states').set({ state: steady.state }).execute() // without one they would be new
  let round = 0
  process.on('message', () => {
    round++
    for (const [at, sloId] of ids.entries()) {
      app.hub.publish(
        {
          sloId,
          organizationId: 1,
          status: (at + round) % 2 === 0 ? 'critical' : 'healthy',
          current: 99.8,
          target: 99.9,
          stateFields: steady,
          budgetUsed: ((at * 7 + round * 13) % 300) + 1,
          windowBudget: { usedPercent: 40, isEstimated: false },
          atMs: app.clock.now(),
        },
        { isEvaluation: true },
      )
    }
    process.send?.('sent' satisfies FromPageServer)
  })
  process.send?.({ url: listen() } satisfies FromPageServer)
}

if (import.meta.main) await serve(Number(process.argv[2]))
