import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database } from 'bun:sqlite'
import { openWorld, type World } from '../../test/chaos/world.ts'
import { closeLater } from '../../test/support/closing.ts'
import { hasFakeTime } from '../../test/support/fake-time.ts'
import { seeded } from '../../test/support/seeded.ts'
import { type Client, createClient } from './client.ts'
import { createFaults, type Faults } from './faults.ts'
import { createJournal, type Journal } from './journal.ts'
import { type Lag, readLag } from './lag.ts'
import { startLoad } from './load.ts'
import { assessDelivery, type Delivered, checkFinalAlerts } from './notifications.ts'
import { addOrganizations } from './organizations.ts'
import { createReads, type Numbers } from './reads.ts'
import { createSampler, type Sample } from './sampler.ts'
import { openSockets } from './sockets.ts'
import { startWatch, untilRight } from './watch.ts'
import { createWrites } from './writes.ts'

/** Result of a run. */
export type Soak = {
  minutes: number
  seed: number
  perSecond: number
  samples: Sample[]
  /** Samples taken while the load paused and no fault was active. */
  idle: Sample[]
  client: Client
  faults: Faults
  journal: Journal
  numbers: Numbers
  delivered: Delivered
  missingAlarms: string[]
  /** Seconds until every SLO was correct after the last fault, or a sentence for each that was not. */
  right: number | string[]
  socketMessages: number
  backups: number
  problems: string[]
  /** Samples before the load, and at the end after all checks. */
  first: Sample | null
  last: Sample | null
  /** Last lag histogram of each process life. */
  lags: Lag[]
  /** Longest delay of a timer of this process, in milliseconds; read latencies include it. */
  ownLagMs: number
}

export type Options = { minutes: number; seed: number; perSecond: number; say: (line: string) => void }

const names = ['bob', 'cyd', 'dot']
const socketsEach = 5
const sampleEveryMs = 5000
const pauseMs = 3000
const calmMs = 80_000 // time at the end without faults
const diskBytes = 768 * 1024 * 1024
/** With a retry delay of one second, an outage of a minute would use up half of the retries. */
const env = { NOTIFY_RETRY_DELAY: '3', SHUTDOWN_TIMEOUT: '5' }

export async function soak({ minutes, seed, perSecond, say }: Options): Promise<Soak> {
  const beganMs = performance.now()
  const endMs = beganMs + minutes * 60_000
  const world = await openWorld({ isTimed: hasFakeTime, diskBytes, env })
  const organizations = await addOrganizations(world, names)
  const numbers: Numbers = { compared: 0, unknown: 0, wrong: [] }
  const journal = createJournal()
  const random = seeded(seed)
  const faults = createFaults({ world, random: seeded(seed + 1), minutes, onStarted: () => journal.verify(), say })
  const client = createClient(world, faults)
  const writes = organizations.map((organization) =>
    createWrites({ client, journal, organization, random: seeded(seed + 2 + organization.channelId) }),
  )
  await untilRight(world, organizations)
  const watch = startWatch(world, organizations, numbers)
  const sockets = openSockets(world, organizations, socketsEach, numbers)
  const take = createSampler(world)
  await Bun.sleep(pauseMs) // until the sockets are connected
  const first = take()
  const load = startLoad({ client, organizations, reads: createReads(numbers), writes, random, perSecond })
  const samples: Sample[] = []
  const idle: Sample[] = []
  const lags = new Map<number, Lag>()
  const problems: string[] = []
  let backups = 0
  let isOver = false
  const every = (ms: number, work: () => Promise<void> | void) => repeat(ms, () => isOver, work)

  const sampling = every(sampleEveryMs, () => push(samples, take()))
  const reading = every(sampleEveryMs, async () => {
    const { life } = take() ?? {}
    const lag = life === undefined ? null : await readLag(world)
    if (life !== undefined && lag) lags.set(life, lag)
  })
  const reporting = every(60_000, async () => {
    say(
      line({
        minutes: (performance.now() - beganMs) / 60_000,
        sample: take(),
        client,
        journal,
        numbers,
        faults,
        sockets,
      }),
    )
    if (!faults.isQuietSince(performance.now())) return
    await load.pause()
    await Bun.sleep(pauseMs)
    if (faults.isQuietSince(performance.now() - pauseMs)) push(idle, take())
    load.resume()
  })
  const folder = mkdtempSync(join(tmpdir(), 'nines-soak-'))
  closeLater(() => rmSync(folder, { recursive: true, force: true }))
  const backup = join(folder, 'backup')
  const backingUp = every(Math.min(300_000, minutes * 15_000), async () => {
    const fromMs = performance.now()
    try {
      rmSync(backup, { recursive: true, force: true })
      await world.run(['backup', backup])
      backups += 1
    } catch (error) {
      if (faults.between(fromMs, performance.now()).length === 0) problems.push(`backup failed: ${String(error)}`)
    }
  })

  await faults.run(endMs - calmMs)
  say('everything is mended')
  await load.stop()
  const right = await untilRight(world, organizations)
  const missingAlarms = await checkFinalAlerts(world, organizations.length)
  const accepted = new Set(writes.flatMap((one) => [...one.accepted]))
  const delivered = await assessDelivery(world, organizations, accepted, faults.interruptions())
  await journal.verify()
  await watch.stop()
  const last = take()
  isOver = true
  await Promise.all([sampling, reading, reporting, backingUp])
  problems.push(...(await restored(world, backup, join(folder, 'restored'))))
  await world.stop('SIGTERM')
  return {
    minutes,
    seed,
    perSecond,
    samples,
    idle,
    client,
    faults,
    journal,
    numbers,
    delivered,
    missingAlarms,
    right,
    socketMessages: sockets.heard(),
    backups,
    problems,
    first,
    last,
    lags: [...lags.values()],
    ownLagMs: load.lagMs(),
  }
}

/** Makes a last backup and restores it; returns a sentence for each integrity problem. */
async function restored(world: World, backup: string, folder: string): Promise<string[]> {
  try {
    rmSync(backup, { recursive: true, force: true })
    await world.run(['backup', backup])
    await world.run(['restore', backup], folder)
    return ['nines.db', 'samples.db'].flatMap((name) => {
      using db = new Database(join(folder, name), { readonly: true })
      const found = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
      return found
        .filter(({ integrity_check: text }) => text !== 'ok')
        .map(({ integrity_check: text }) => `${name}: ${text}`)
    })
  } catch (error) {
    return [`the backup cannot be restored: ${String(error)}`]
  }
}

async function repeat(ms: number, isOver: () => boolean, work: () => Promise<void> | void): Promise<void> {
  let nextMs = performance.now() + ms
  while (!isOver()) {
    await Bun.sleep(200)
    if (performance.now() < nextMs) continue
    nextMs += ms
    await work()
  }
}

function push(samples: Sample[], sample: Sample | null): void {
  if (sample) samples.push(sample)
}

type Now = Pick<Soak, 'client' | 'journal' | 'numbers' | 'faults'> & {
  minutes: number
  sample: Sample | null
  sockets: { connected: () => number }
}

function line({ minutes, sample, client, journal, numbers, faults, sockets }: Now): string {
  const broken = faults.between(performance.now(), performance.now())
  const errors = [...client.errors.values()].reduce((sum, times) => sum + times, 0)
  return [
    `${minutes.toFixed(0)} min`,
    sample ? `${sample.anonMb.toFixed(0)} MB, ${sample.descriptors} descriptors` : 'not running',
    `${client.sent()} requests, ${errors} errors (${client.unexplained.length} unexplained)`,
    `${journal.acknowledged()} writes (${journal.lost.length} lost)`,
    `${numbers.compared} numbers (${numbers.wrong.length} wrong)`,
    `${sockets.connected()} sockets, ${faults.kills()} kills`,
    broken.length > 0 ? `broken lately: ${broken.join(', ')}` : 'nothing broken',
  ].join('; ')
}
