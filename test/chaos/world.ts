import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeLater } from '../support/closing.ts'
import { fakeTime } from '../support/fake-time.ts'
import { command, type Nines, register, startNines } from '../support/process.ts'
import { openSurroundings, type Surroundings } from './surroundings.ts'
import { exposed, switched, truths } from './truth.ts'

/** A running nines and its surroundings, with actions to stop and start it. */
export type World = {
  around: Surroundings
  dataDir: string
  /** A separate file system, small enough to be filled; null if mounting is not permitted. */
  disk: string | null
  setClock: (shift: string) => void
  /** Access token of an administrator of the first organization. */
  token: string
  first: OrganizationThings
  /** Everything written to stderr by all processes so far. */
  log(): string
  /** The running process; null if none runs. */
  nines(): Nines | null
  /** Reason why the last start failed; null if it succeeded. */
  refusal(): string | null
  stop(signal: NodeJS.Signals): Promise<void>
  start(options?: { maxDescriptors?: number }): Promise<void>
  /** Runs a command of nines, on the data folder or another one; rejects if it fails. */
  run(args: string[], dataDir?: string): Promise<void>
}

/** `diskBytes`: size of the file system for the data folder. */
type Options = { isTimed?: boolean; diskBytes?: number; env?: Record<string, string> }

/** The things of one organization in a world. `sloIds`: by name. */
export type OrganizationThings = { token: string; sourceId: number; channelId: number; sloIds: Map<string, number> }

export const metricsToken = 'chaos-metrics-token'
/** More than 256 MB, below which nines reports a nearly full disk. */
const usualDiskBytes = 400 * 1024 * 1024

/**
 * Starts a world with an organization with nine SLOs of known SLI, one SLO that can be switched off, and alerts about that one.
 */
export async function openWorld({
  isTimed = false,
  diskBytes = usualDiskBytes,
  env: given = {},
}: Options = {}): Promise<World> {
  const around = await openSurroundings()
  const { folder, isMounted } = openDisk(diskBytes)
  const dataDir = join(folder, 'data')
  const time = isTimed ? fakeTime() : undefined
  const env = {
    SOURCE_URL: 'embedded',
    EVALUATION_INTERVAL: '10',
    SOURCE_TIMEOUT: '10',
    NOTIFY_RETRY_DELAY: '1',
    NOTIFY_RETRY_FACTOR: '1',
    NOTIFY_DEDUP_WINDOW: '0',
    METRICS_TOKEN: metricsToken,
    ...time?.env,
    ...given,
  }
  const logs: string[] = []
  let nines: Nines | null = null
  let refusal: string | null = null

  const world: World = {
    around,
    dataDir,
    disk: isMounted ? folder : null,
    setClock: (shift) => time?.set(shift),
    token: '',
    first: { token: '', sourceId: 0, channelId: 0, sloIds: new Map() },
    log: () => [...logs, nines?.log() ?? ''].join('\n'),
    nines: () => nines,
    refusal: () => refusal,
    async stop(signal) {
      const ending = nines
      nines = null
      if (!ending) return
      ending.kill(signal)
      await ending.exited
      logs.push(ending.log())
    },
    async start(options = {}) {
      try {
        refusal = null
        nines = await startNines({ dataDir, env, ...options })
      } catch (error) {
        refusal = error instanceof Error ? error.message : String(error)
      }
    },
    async run(args, folder = dataDir) {
      const env = { DATA_DIR: folder }
      const child = Bun.spawn([...command, ...args], { env, stdout: 'ignore', stderr: 'pipe' })
      closeLater(() => child.kill('SIGKILL'))
      const said = await new Response(child.stderr).text()
      if ((await child.exited) !== 0) throw new Error(`nines ${args.join(' ')}: ${said}`)
    },
  }
  await world.start()
  world.first = await addOrganization(world, 'ada')
  world.token = world.first.token
  await bringPast(world)
  return world
}

/** Creates the folder on a separate file system if mounting is permitted. */
function openDisk(diskBytes: number): { folder: string; isMounted: boolean } {
  const folder = mkdtempSync(join(tmpdir(), 'nines-chaos-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', folder])
  const isMounted = status === 0
  closeLater(() => {
    if (isMounted) spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  return { folder, isMounted }
}

/** Adds another organization with the same things. */
export async function addOrganization(world: World, name: string): Promise<OrganizationThings> {
  const nines = world.nines()
  if (!nines) throw new Error(`not started: ${world.refusal()}`)
  const session = await register(nines, name)
  const post = async (path: string, body: object) => {
    const { status, text, body: made } = await nines.call('POST', `/api/v1${path}`, body, session)
    if (status !== 201) throw new Error(`${path}: ${text}`)
    return made
  }
  const { token } = await post('/auth/tokens', { name: 'chaos', role: 'admin' })
  const { source, target, receiver } = world.around
  const { id: source_id } = await post('/tsdb/sources', { name: 'outside', api_url: source.url })
  await post('/embedded/targets', {
    name: 'shop',
    url: `${target.url}/metrics`,
    interval_seconds: 5,
    timeout_seconds: 4,
  })
  const sloIds = new Map<string, number>()
  for (const { name, source, target, definition } of truths) {
    const slo = { name, target, ...definition, ...(source === 'outside' && { source_id }) }
    sloIds.set(name, (await post('/slos', slo)).id)
  }
  const { id: slo_id } = await post('/slos', { ...switched, source_id })
  const configuration = { webhook_url: receiver.url }
  const channel = await post('/notifications/channels', { name: 'on call', channel_type: 'webhook', configuration })
  const rule = {
    slo_id,
    channel_id: channel.data.id,
    alert_type: 'violation',
    priority: 'critical',
    max_retries: 100,
    notify: false,
  }
  await post('/notifications/rules', rule)
  return { token, sourceId: source_id, channelId: channel.data.id, sloIds: sloIds.set(switched.name, slo_id) }
}

/** Imports an hour of samples, so that whole minutes of the embedded source exist at once. */
async function bringPast(world: World): Promise<void> {
  await world.stop('SIGTERM')
  const file = `${world.dataDir}.om`
  writeFileSync(file, pastText())
  await world.run(['import', file])
  rmSync(file)
  await world.start()
}

/** An hour of samples as OpenMetrics text. */
export function pastText(): string {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const bySeries = new Map<string, string[]>()
  for (let seconds = nowSeconds - 3600; seconds < nowSeconds; seconds += 15) {
    for (const line of exposed(seconds * 1000).split('\n')) {
      const [series = '', value = ''] = line.split(' ')
      if (series === '#') continue
      const samples = bySeries.get(series) ?? []
      samples.push(`${series}{instance="127.0.0.1",job="past"} ${value} ${seconds}`)
      bySeries.set(series, samples)
    }
  }
  return `${[...bySeries.values()].flat().join('\n')}\n# EOF\n`
}
