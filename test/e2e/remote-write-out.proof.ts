import { afterEach, expect, test } from 'bun:test'
import { eventually } from '../attacks/world.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { command, newFolder, type Nines, register, startNines } from '../support/process.ts'
import { writeBody, writeHeaders } from '../support/remote-write.ts'

afterEach(closeAll)

const minuteMs = 60_000

/** A server that takes remote write and answers queries, on a port that it keeps. */
type Server = { url: string; start(): Promise<void>; end(): Promise<void> }

async function serverOf(
  program: string,
  flagsOf: (dir: string, port: number) => string[],
  isReady: string,
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<Server> {
  const dir = newFolder()
  const free = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = free
  await free.stop(true)
  const url = `http://127.0.0.1:${port}`
  let child: Bun.Subprocess | undefined
  const end = async () => {
    child?.kill(signal)
    await child?.exited
  }
  closeLater(end)
  return {
    url,
    end,
    async start() {
      child = Bun.spawn([program, ...flagsOf(dir, port)], { stdout: 'ignore', stderr: 'ignore' })
      const ready = () => fetch(`${url}${isReady}`).catch(() => undefined)
      await eventually(30, async () => ((await ready())?.ok ? true : undefined))
    },
  }
}

/** The steps of docs/sources.md, "Step by step", for each. */
const receivers: [string, () => Promise<Server>][] = [
  [
    'Prometheus',
    async () => {
      const config = `${newFolder()}/prometheus.yml`
      await Bun.write(config, 'storage: {tsdb: {out_of_order_time_window: 30d}}\n')
      const flags = (dir: string, port: number) => [
        `--web.listen-address=127.0.0.1:${port}`,
        `--config.file=${config}`,
        `--storage.tsdb.path=${dir}/data`,
        '--web.enable-remote-write-receiver',
      ]
      return serverOf('prometheus', flags, '/-/ready', 'SIGKILL')
    },
  ],
  [
    'VictoriaMetrics',
    () => {
      const flags = (dir: string, port: number) => [
        `-httpListenAddr=127.0.0.1:${port}`,
        `-storageDataPath=${dir}/data`,
        '-dedup.minScrapeInterval=1ms',
        '-search.latencyOffset=0s',
      ]
      return serverOf('victoria-metrics', flags, '/health', 'SIGTERM') // loses the last seconds if killed
    },
  ],
]

type Series = { metric: { series: string }; values: [number, string][] }
type Sample = `${string} ${number} ${string}`

/** `series time value` of each sample of a metric, sorted. */
async function samplesOf(url: string, metric: string, token?: string): Promise<Sample[]> {
  const query = encodeURIComponent(`${metric}[6h]`)
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const time = (Date.now() + minuteMs) / 1000
  const answer = await fetch(`${url}/api/v1/query?query=${query}&time=${time}`, { headers })
  const { data } = (await answer.json()) as { data: { result: Series[] } }
  return data.result
    .flatMap(({ metric: { series }, values }) => values.map(([at, value]): Sample => `${series} ${at} ${value}`))
    .toSorted()
}

async function numberOf(url: string, query: string): Promise<number> {
  const time = (Date.now() + minuteMs) / 1000
  const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}&time=${time}`)
  const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } }
  return Number(data.result[0]?.value[1] ?? 0)
}

/** Runs a command of nines on the data folder to its end. */
async function run(dataDir: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const options = { env: { DATA_DIR: dataDir, ...env }, stdout: 'pipe', stderr: 'pipe' } as const
  const child = Bun.spawn([...command, ...args], options)
  closeLater(() => child.kill('SIGKILL'))
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect({ err, code }).toEqual({ err, code: 0 })
  return out
}

/** OpenMetrics text: so many series, one sample a second of each in the seconds before `endMs`. */
function past(metric: string, series: number, seconds: number, endMs: number): string {
  const lines = [`# TYPE ${metric} gauge`]
  for (let at = 0; at < series; at += 1) {
    for (let second = seconds; second > 0; second -= 1) {
      lines.push(`${metric}{series="${at}"} ${second % 97} ${Math.floor(endMs / 1000) - second}`)
    }
  }
  return `${lines.join('\n')}\n# EOF\n`
}

let value = 0
let atMs = 0

/**
 * Sends requests of twenty series to nines until it is killed. No two are of the same millisecond: of two values of one time nines
 * has the last, and a receiver may keep the first.
 */
async function write(nines: Nines, token: string): Promise<void> {
  for (;;) {
    value += 1
    atMs = Math.max(atMs + 1, Date.now())
    const series = Array.from({ length: 20 }, (_, index) => ({
      labels: { __name__: 'written', series: String(index) },
      samples: [[atMs, value] as [number, number]],
    }))
    const answer = await fetch(`${nines.url}/api/v1/write`, {
      method: 'POST',
      headers: { ...writeHeaders[1], authorization: `Bearer ${token}` },
      body: writeBody(1, series),
    }).catch(() => undefined)
    if (!answer) return
    expect(answer.status).toBe(204)
  }
}

test.each(receivers)(
  'all samples are taken along to a %s, over kills, imports and its absence',
  async (_, create) => {
    const dataDir = newFolder()
    const embedded = { SOURCE_URL: 'embedded' }
    const first = await startNines({ dataDir, env: embedded })
    const token = await register(first, 'ada')
    first.kill('SIGKILL')
    await first.exited
    const file = `${newFolder()}/past.om`
    const endMs = Date.now() - 70 * minuteMs // a gap is sent by the hour: what is written must not be in one of the import
    const pastEndMs = endMs - 180 * minuteMs
    await Bun.write(file, past('past', 5, 3600, pastEndMs))
    await run(dataDir, ['import', file])

    const receiver = await create()
    await receiver.start()
    const env = { ...embedded, REMOTE_WRITE_URL: `${receiver.url}/api/v1/write` }
    const start = () => startNines({ dataDir, env })
    /** Writes to nines while `between` goes on, then kills it. */
    const writeAndKill = async (between: (nines: Nines) => Promise<unknown>) => {
      const nines = await start()
      const writing = write(nines, token)
      await between(nines)
      nines.kill('SIGKILL')
      await writing
      await nines.exited
    }
    const received = () => numberOf(receiver.url, 'sum(count_over_time(written[6h]))')
    const more = async (before: number) =>
      eventually(60, async () => ((await received()) > before + 500 ? true : undefined))
    for (let kills = 0; kills < 3; kills += 1) {
      const before = await received()
      await writeAndKill(() => more(before))
    }
    await writeAndKill(async (nines) => {
      const before = await received()
      await more(before)
      await receiver.end()
      await nines.said(/remote write failed/)
    })
    // More than the log holds, so that most of it comes from the chunks.
    await Bun.write(file, past('bulk', 600, 3000, endMs))
    await run(dataDir, ['import', file])
    await writeAndKill(async (nines) => nines.said(/remote write failed/))

    await receiver.start()
    const nines = await start()
    // First what is counted, because a comparison of all samples takes long: the bulk is older, and is sent before.
    await eventually(120, async () =>
      (await numberOf(receiver.url, 'sum(count_over_time(bulk[6h]))')) === 600 * 3000 ? true : undefined,
    )
    await eventually(120, async () => {
      const own = await samplesOf(`${nines.url}/api/v1/embedded/prometheus`, 'written', token)
      return Bun.deepEquals(await samplesOf(receiver.url, 'written'), own) || undefined
    })
    const metrics = await (await fetch(`${nines.url}/metrics`)).text()
    expect(metrics).toContain('nines_remote_write_samples_total{outcome="dropped"} 0')
    expect(await numberOf(receiver.url, 'count(count by (nines_organization) (last_over_time(written[6h])))')).toBe(1)
    expect(await numberOf(receiver.url, 'count(last_over_time(past[6h]))')).toBe(0)

    const span = [
      '--from',
      new Date(pastEndMs - 120 * minuteMs).toISOString(),
      '--to',
      new Date(pastEndMs).toISOString(),
    ]
    const out = await run(dataDir, ['export-samples', ...span, '--match', 'past'], env)
    expect(out).toStartWith('18000 samples sent, up to ')
    await eventually(30, async () =>
      (await numberOf(receiver.url, 'sum(count_over_time(past[6h]))')) === 5 * 3600 ? true : undefined,
    )
    expect(await samplesOf(receiver.url, 'past')).toEqual(
      await samplesOf(`${nines.url}/api/v1/embedded/prometheus`, 'past', token),
    )
  },
  600_000,
)
