import type { Figure } from '../goals.ts'
import { printedBy } from '../support/child.ts'
import type { Report } from './nines.ts'

const probes = 500

/**
 * Measures nines with 500 probes of 30 s and an SLO of each: CPU while it learns of them and while all are good, and the longest turn
 * of the event loop while all fail at once, and while they are up again.
 */
export async function benchProbes(): Promise<Figure[]> {
  const site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('', { status }) })
  let status = 200
  const control = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url }) {
      status = Number(new URL(url).pathname.slice(1))
      return new Response('')
    },
  })
  const printed = printedBy<Report>('probes/nines.ts', String(probes), site.url.href, control.url.href)
  const { learningSeconds, learningCpu, goodCpu, failingTurn, upTurn, incidents } = await printed.finally(() => {
    site.stop(true)
    control.stop(true)
  })
  if (incidents !== probes) throw new Error(`${incidents} incidents of ${probes} probes`)
  process.stdout.write(`\n${probes} probes of 30 s, an SLO of each\n`)
  process.stdout.write(`  backfilled after ${learningSeconds.toFixed(0)} s, ${learningCpu.toFixed(0)} s CPU\n`)
  const what = `${probes} probed SLOs`
  return [
    { what: `${what}, CPU while their past is backfilled`, value: learningCpu, unit: 's', goal: { atMost: 60 } },
    { what: `${what}, CPU while all are good`, value: goodCpu, unit: '%', goal: { atMost: 15 } },
    { what: `${what}, longest turn while all fail`, value: failingTurn, unit: 'ms', goal: { atMost: 50 } },
    { what: `${what}, longest turn while all are up again`, value: upTurn, unit: 'ms', goal: { atMost: 50 } },
  ]
}
