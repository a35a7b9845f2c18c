import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashOfSecret } from '../../../src/embedded/heartbeats/heartbeats.ts'
import { register } from '../attacks/watched-nines.ts'
import type { Figure } from '../goals.ts'
import { cpuSeconds } from '../support/load.ts'
import { startNinesIn } from '../support/processes.ts'

const [heartbeats, pingsPerSecond, seconds] = [5000, 100, 30]

/** Measures the CPU that nines alone takes for 5,000 heartbeats and 100 pings a second, which another process sends. */
export async function benchHeartbeats(): Promise<Figure[]> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const env = { SOURCE_URL: 'embedded', REGISTRATION: 'open' }
  const secrets = await withHeartbeats(join(dir, 'nines'), env)
  const nines = await startNinesIn(join(dir, 'nines'), env)
  try {
    const addresses = secrets.map((secret) => `${nines.url}/ping/${secret}`)
    const file = join(dir, 'addresses.json')
    await Bun.write(file, JSON.stringify(addresses))
    const share = async (name: string, work: () => Promise<unknown>) => {
      const [beganMs, before] = [performance.now(), cpuSeconds(nines.pid)]
      await work()
      const [cpu, took] = [cpuSeconds(nines.pid) - before, (performance.now() - beganMs) / 1000]
      process.stdout.write(`${name}: ${cpu.toFixed(2)} s of CPU in ${took.toFixed(1)} s\n`)
      return (cpu * 100) / took
    }
    const send = async (forSeconds: number) => {
      const script = join(import.meta.dir, 'send-pings.ts')
      const args = [script, file, String(pingsPerSecond), String(forSeconds)]
      const sender = Bun.spawn([process.execPath, ...args], { stdout: 'inherit', stderr: 'inherit' })
      if ((await sender.exited) !== 0) throw new Error('pings were refused')
    }
    await send(60) // what is compiled first is not counted, nor series that begin: each heartbeat writes once a minute
    await share('without pings', () => Bun.sleep(seconds * 1000))
    const busy = await share('with pings', () => send(seconds))
    return [
      { what: 'heartbeats, 5,000 with 100 pings a second', value: busy, unit: '% of a core', goal: { atMost: 5 } },
    ]
  } finally {
    await nines.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Makes a data folder with heartbeats, as copies of one, and returns the secrets of their addresses. */
async function withHeartbeats(dataDir: string, env: Record<string, string>): Promise<string[]> {
  const nines = await startNinesIn(dataDir, env)
  const token = await register(nines.url, 'owner')
  const answer = await fetch(`${nines.url}/api/v1/embedded/heartbeats`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'job', period_seconds: 300 }),
  })
  await nines.stop()
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
  const db = new Database(join(dataDir, 'nines.db'))
  const columns = db.query<{ name: string }, []>('pragma table_info(heartbeats)').all()
  const others = columns.map(({ name }) => name).filter((name) => !['id', 'name', 'token_hash'].includes(name))
  const copy = db.query(
    `insert into heartbeats (name, token_hash, ${others.join()}) select ?, ?, ${others.join()} from heartbeats where id = 1`,
  )
  const secrets = Array.from({ length: heartbeats - 1 }, () => crypto.randomUUID() as string)
  db.transaction(() => secrets.forEach((secret, at) => copy.run(`job ${at}`, hashOfSecret(secret))))()
  db.close()
  return secrets
}
