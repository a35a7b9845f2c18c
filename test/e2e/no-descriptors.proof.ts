import { afterEach, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { closeAll, closeLater } from '../support/closing.ts'
import { data, dnsServer } from '../support/dns-server.ts'
import { newFolder, register, startNines } from '../support/process.ts'

afterEach(closeAll)

test.skipIf(!Bun.which('prlimit'))(
  'checks for which nines has no file descriptor left are no outage, and are logged once',
  async () => {
    const headers = { connection: 'close' } // an open connection would need no descriptor
    const site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('a 1\n', { headers }) })
    closeLater(() => void site.stop(true))
    const mail = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    closeLater(() => void mail.close())
    const mailPort = Object(mail.address()).port
    const server = `127.0.0.1:${await dnsServer({ 'a.example': [data.address(192, 0, 2, 1)] })}`
    const path = process.env['PATH'] ?? ''
    const nines = await startNines({ dataDir: newFolder(), env: { EVALUATION_INTERVAL: '0', PATH: path } })
    const token = await register(nines, 'ada')
    const call = (method: string, to: string, body?: unknown) => nines.call(method, `/api/v1${to}`, body, token)
    const often = { interval_seconds: 5, timeout_seconds: 4 }
    const probes = [
      { type: 'http', target: site.url.href },
      { type: 'http', target: `http://localhost:${site.port}/` },
      { type: 'tcp', target: `127.0.0.1:${mailPort}` },
      { type: 'dns', target: 'a.example', settings: { record_type: 'A', server } },
      { type: 'icmp', target: '127.0.0.1' },
    ]
    for (const [at, probe] of probes.entries()) {
      const { status, text } = await call('POST', '/embedded/probes', { name: `p${at}`, ...often, ...probe })
      if (probe.type !== 'icmp' || !text.includes('`ping`')) expect([status, text]).toEqual([201, text])
    }
    await call('POST', '/embedded/targets', { name: 'app', url: `${site.url.href}`, ...often })
    const statuses = async (): Promise<string[]> => {
      const [all, targets] = [await call('GET', '/embedded/probes'), await call('GET', '/embedded/targets')]
      const named = [...all.body.probes, ...targets.body.targets].filter(({ name }) => name !== 'nines')
      return named.map(({ health }: { health: { status: string } }) => health.status)
    }
    const untilAll = async (wanted: string) => {
      while (!(await statuses()).every((status) => status === wanted)) await Bun.sleep(100)
    }
    const limit = (max: number) => Bun.spawnSync(['prlimit', '--pid', String(nines.pid), `--nofile=${max}:`])
    const lowest = async (metric: string): Promise<number[]> => {
      const query = encodeURIComponent(`min_over_time(${metric}[1h])`)
      const { body } = await call('GET', `/embedded/prometheus/api/v1/query?query=${query}`)
      return body.data.result.map(({ value }: { value: [number, string] }) => Number(value[1]))
    }
    await untilAll('up')
    const started = nines.log().length
    limit(3)
    await untilAll('unknown')
    const exposed = await fetch(`${nines.url}/metrics`)
    expect([exposed.status, await exposed.text()]).toEqual([
      200,
      expect.stringMatching(/^nines_metrics_left_out [1-9]/m),
    ])
    limit(4096)
    await untilAll('up')
    const lines = nines.log().slice(started).trim().split('\n')
    const logged = lines
      .map((line) => JSON.parse(line))
      .map(({ message, error }) => `${message}: ${error.split('\n')[0]}`)
    expect(logged).toContain('collecting failed: No file descriptors are left')
    expect(logged).toEqual([...new Set(logged)])
    expect([...new Set([...(await lowest('probe_success')), ...(await lowest('up'))])]).toEqual([1])
  },
)
