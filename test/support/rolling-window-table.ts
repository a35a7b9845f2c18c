import { askDirectly, availabilityQuery } from './direct-query.ts'
import type { Replay } from './replay.ts'

/** Lengths of the compared windows, in seconds. */
export const watchedWindows = { '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const

/** Results of a direct query and of nines at one time: budget used in percent, or a burn rate. */
export type Check = { at: number; service: string; window: string; direct: number | null; nines: number | null }

export function budgetOf(sli: number | null, targetPercent: number): number | null {
  return sli === null ? null : (100 * (1 - sli)) / (1 - targetPercent / 100)
}

/** Budget used by the common method, the mean of five-minute ratios over the window; keyed by service and window. */
export async function averagedBudget(
  url: string,
  at: number,
  services: string[],
  targetPercent: number,
): Promise<Map<string, number | null>> {
  const averaged = new Map<string, number | null>()
  for (const service of services) {
    for (const [window, seconds] of Object.entries(watchedWindows)) {
      const query = `avg_over_time((${availabilityQuery(service, '5m')})[${seconds}s:5m])`
      averaged.set(`${service} ${window}`, budgetOf(await askDirectly(url, query, at), targetPercent))
    }
  }
  return averaged
}

/** Prints the table of `npm run proofs`: budget used, in percent, at the end of the data, and the worst check until then. */
export function printBudgets(
  checks: Check[],
  { truth, now }: Replay,
  averaged: Map<string, number | null>,
  counts: Record<string, number>,
): void {
  const lines = [...Map.groupBy(checks, ({ service, window }) => `${service} ${window}`)].map(([key, ofSlo]) => {
    const [service = '', window = ''] = key.split(' ')
    const last = ofSlo.at(-1)
    const happened = truth.services[service]?.evals[now]?.[window as '24h']
    const worst = Math.max(...ofSlo.map(differenceOf))
    const columns = [typeof happened?.sli === 'number' ? budgetOf(happened.sli, 99.9) : null, last?.direct, last?.nines]
    const cells = [...columns, averaged.get(key)].map((value) => shown(value ?? null))
    return `  ${service.padEnd(10)} ${window.padEnd(4)} ${cells.join(' ')} ${`${(100 * worst).toFixed(4)} %`.padStart(12)}`
  })
  const counted = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  const title = `Budget used of rolling windows, % (${checks.length} checks; ${counted.join(', ')})`
  const head = `  ${'service'.padEnd(10)} ${'own'.padEnd(4)} ${['truth', 'direct', 'nines', 'mean of 5m'].map((name) => name.padStart(10)).join(' ')} ${'worst check'.padStart(12)}`
  process.stdout.write(`\n${[title, head, ...lines].join('\n')}\n`)
}

/** Prints the largest deviation of burn rates by window. */
export function printBurnRates(checks: Check[]): void {
  const lines = [...Map.groupBy(checks, ({ window }) => window)].map(([window, ofWindow]) => {
    const known = ofWindow.filter(({ nines }) => nines !== null)
    const worst = Math.max(...known.map(differenceOf))
    return `  ${window.padEnd(6)} ${known.length} of ${ofWindow.length} known, worst ${(100 * worst).toFixed(3)} %`
  })
  process.stdout.write(`\nBurn rates from the ledger against direct queries\n${lines.join('\n')}\n`)
}

/** Deviation relative to the direct query. */
function differenceOf({ direct, nines }: Check): number {
  if (direct === null || nines === null || Math.abs(direct - nines) <= 1e-4) return 0
  return Math.abs(direct - nines) / Math.abs(direct)
}

function shown(value: number | null): string {
  return (value === null ? '-' : value.toFixed(2)).padStart(10)
}
