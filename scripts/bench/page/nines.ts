import { openFilled } from '../support/nines-here.ts'

/** What the bench sends: `round`, so that each SLO has new figures. What it gets: the address, and when a round was sent. */
export type FromPageServer = { url: string } | 'sent'

/** nines with so many SLOs, given as an argument, of which half have no budget left, and 30 days of each. */
async function serve(slos: number): Promise<void> {
  const { app, ids, listen } = await openFilled({ slos, exhausted: 5 })
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
          budgetUsed: ((at * 7 + round * 13) % 300) + 1,
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
