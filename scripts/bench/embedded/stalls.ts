import { join } from 'node:path'
import type { Figure } from '../goals.ts'
import type { Stalls } from './stalls-child.ts'

const lines = 94_000 // 10 MiB
const freshLines = 10_000

/** The longest stalls of an event loop that scrapes, the time for which others had the processors not counted. */
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
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, 'stalls-child.ts'),
      dir,
      `${server.url.href}large`,
      `${server.url.href}fresh`,
    ],
    { env: {}, stdout: 'pipe' },
  )
  const printed = await new Response(child.stdout).text()
  await server.stop(true)
  if ((await child.exited) !== 0) throw new Error('nines ended before it was measured')
  const { first, again, fresh }: Stalls = JSON.parse(printed)
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
