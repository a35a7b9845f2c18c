import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { register, startWatched } from '../attacks/watched-nines.ts'
import type { Figure } from '../goals.ts'
import { cpuSeconds } from '../support/load.ts'

const [heartbeats, pingsPerSecond, seconds] = [5000, 100, 30]
const concurrency = 20

/** Measures the CPU that nines alone takes for 5,000 heartbeats and 100 pings a second, which another process sends. */
export async function benchHeartbeats(): Promise<Figure[]> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const nines = await startWatched(join(dir, 'nines'), { SOURCE_URL: 'embedded', INGEST_RATE_LIMIT: '0' })
  try {
    const token = await register(nines.url, 'owner')
    const addresses: string[] = []
    const create = async (name: string) => {
      const answer = await fetch(`${nines.url}/api/v1/embedded/heartbeats`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name, period_seconds: 300 }),
      })
      if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
      const { ping_url } = (await answer.json()) as { ping_url: string }
      addresses.push(`${nines.url}${new URL(ping_url).pathname}`)
    }
    for (let at = 0; at < heartbeats; at += concurrency) {
      await Promise.all(Array.from({ length: concurrency }, (_, offset) => create(`job ${at + offset}`)))
    }
    const file = join(dir, 'addresses.json')
    await Bun.write(file, JSON.stringify(addresses))
    const share = async (work: () => Promise<unknown>) => {
      const [beganMs, before] = [performance.now(), cpuSeconds(nines.pid)]
      await work()
      return ((cpuSeconds(nines.pid) - before) * 1e5) / (performance.now() - beganMs)
    }
    const send = async (forSeconds: number) => {
      const script = join(import.meta.dir, 'send-pings.ts')
      const args = [script, file, String(pingsPerSecond), String(forSeconds)]
      const sender = Bun.spawn([process.execPath, ...args], { stdout: 'inherit', stderr: 'inherit' })
      if ((await sender.exited) !== 0) throw new Error('pings were refused')
    }
    await send(seconds / 2) // what is compiled first is not counted
    await nines.stallMs()
    const idle = await share(() => Bun.sleep(seconds * 1000))
    const busy = await share(() => send(seconds))
    process.stdout.write(`without pings ${idle.toFixed(1)} % of a core\n`)
    return [
      { what: 'heartbeats, 5,000 with 100 pings a second', value: busy, unit: '% of a core', goal: { atMost: 5 } },
      { what: 'heartbeats, longest stall', value: await nines.stallMs(), unit: 'ms', goal: { atMost: 50 } },
    ]
  } finally {
    await nines.end()
    rmSync(dir, { recursive: true, force: true })
  }
}
