import type { Figure } from '../goals.ts'
import { printedBy } from '../support/child.ts'
import type { Stalls } from './stalls-child.ts'

const lines = 94_000 // 10 MiB
const freshLines = 10_000

/** Measures the longest stalls of an event loop that scrapes, without time that other processes had the CPU. */
export async function measureStalls(dir: string): Promise<Figure[]> {
  let round = 0
  const large = text(lines, 'large')
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url }) {
      if (url.endsWith('large')) return new Response(large)
      round += 1
      return new Response(text(freshLines, `fresh${round}`))
    },
  })
  const urls = ['large', 'fresh'].map((name) => `${server.url.href}${name}`)
  const stalls = printedBy<Stalls>('embedded/stalls-child.ts', dir, ...urls)
  const { first, again, fresh } = await stalls.finally(() => server.stop(true))
  const stall = (what: string, value: number): Figure => ({ what, value, unit: 'ms', goal: { atMost: 50 } })
  return [
    stall('longest stall by a scrape of 10 MiB, all of it new', first),
    stall('longest stall by the next scrape of 10 MiB', again),
    stall('longest stall by 10,000 new series', fresh),
  ]
}

function text(count: number, name: string): string {
  const part = 'http_server_things{method="GET",code="20'
  const all = Array.from(
    { length: count },
    (_, at) => `${part}${at % 5}",pod="${name}.${at % 250}",path="/api/v1/organizations/things/${at}"} ${at * 37}\n`,
  )
  return all.join('')
}
