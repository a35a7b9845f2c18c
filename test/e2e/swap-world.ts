import { Database } from 'bun:sqlite'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { register, startNines, type Nines } from '../support/process.ts'
import { checkout } from '../support/slo-calls.ts'

/** Acknowledged changes: names of SLOs and teams, and values of samples. */
export type Journal = { slos: string[]; teams: string[]; samples: number[] }

/** Answers to clients since `begin`: `answers` and `refused` by client; `wrong`: neither. */
type Seen = {
  acknowledged: number
  acknowledgedSamples: number
  answers: Map<string, number>
  refused: Set<string>
  wrong: string[]
}

export type Load = {
  /** Resolves once this holds for the answers since `begin`. */
  until(holds: (seen: Seen) => boolean): Promise<void>
  begin(): void
  seen: Seen
  /** Resolves when the server is gone and all clients have stopped. */
  over: Promise<unknown>
}

export const clients = ['a', 'b', 'c', 'teams', 'samples']
const firstMs = Date.now() - 3_600_000

/** Starts clients that create things one after the other, without a pause, until the server is gone. */
export function startLoad(nines: Nines, token: string, round: number, journal: Journal): Load {
  let wake = () => {}
  const seen: Seen = { acknowledged: 0, acknowledgedSamples: 0, answers: new Map(), refused: new Set(), wrong: [] }
  const note = (client: string, status: number, text: string, acknowledge: () => void) => {
    if (status === 503 && text.includes('was moved, removed or replaced')) seen.refused.add(client)
    else if (status <= 201) {
      acknowledge()
      seen.acknowledged += 1
    } else seen.wrong.push(`${client}: ${status} ${text}`)
    seen.answers.set(client, (seen.answers.get(client) ?? 0) + 1)
    wake()
  }
  const keepGoing = async (create: (count: number) => Promise<void>) => {
    try {
      for (let count = 0; ; count += 1) await create(count)
    } catch {} // the server is gone
  }
  const send = async (path: string, body: object) => nines.call('POST', `/api/v1${path}`, body, token)
  const creates = ['a', 'b', 'c'].map((client) =>
    keepGoing(async (count) => {
      const name = `${client} ${round} ${count}`
      const { status, text } = await send('/slos', { ...checkout, name, force: true })
      note(client, status, text, () => journal.slos.push(name))
    }),
  )
  const teams = keepGoing(async (count) => {
    const name = `${round} ${count}`
    const { status, text } = await send('/organization/teams', { name })
    note('teams', status, text, () => journal.teams.push(name))
  })
  const samples = keepGoing(async (count) => {
    const value = round * 10_000 + count
    const sample = `pushed ${value} ${(firstMs + value) / 1000}\n# EOF\n`
    const { status, text } = await send('/embedded/import', { text: sample })
    note('samples', status, text, () => {
      journal.samples.push(value)
      seen.acknowledgedSamples += 1
    })
  })
  return {
    seen,
    begin: () =>
      void Object.assign(seen, { acknowledged: 0, acknowledgedSamples: 0, answers: new Map(), refused: new Set() }),
    async until(holds) {
      while (!holds(seen)) await new Promise<void>((resolve) => (wake = resolve))
    },
    over: Promise.all([...creates, teams, samples]),
  }
}

/** Acknowledged changes that are missing in this server's data folder. */
export async function missing(nines: Nines, token: string, dataDir: string, journal: Journal): Promise<string[]> {
  using db = new Database(join(dataDir, 'nines.db'), { readonly: true })
  const names = (table: string) =>
    new Set(
      db
        .query<{ name: string }, []>(`select name from ${table}`)
        .all()
        .map(({ name }) => name),
    )
  const [slos, teams] = [names('slos'), names('teams')]
  const { body } = await nines.call('GET', '/embedded/prometheus/api/v1/query?query=pushed[2h]', undefined, token)
  const values: [number, string][] = body.data.result[0]?.values ?? []
  const samples = new Set(values.map(([, value]) => Number(value)))
  return [
    ...journal.slos.filter((name) => !slos.has(name)).map((name) => `SLO ${name}`),
    ...journal.teams.filter((name) => !teams.has(name)).map((name) => `team ${name}`),
    ...journal.samples.filter((value) => !samples.has(value)).map((value) => `sample ${value}`),
  ]
}

/** Sends SIGSTOP; resolves when the process is stopped. */
export async function halt(nines: Nines): Promise<void> {
  nines.kill('SIGSTOP')
  const state = () => /\) (\w)/.exec(readFileSync(`/proc/${nines.pid}/stat`, 'utf8'))?.[1]
  // it may wait for the disk
  while (state() !== 'T') await Bun.sleep(1)
}

/** Removes the folder of a halted server. `after`: the operator's action before the next start. */
export type Swap = { name: string; take(dataDir: string): void; after(dataDir: string): void }

const aside = (dataDir: string) => `${dataDir}.aside`
const kept = (dataDir: string) => `${dataDir}.kept`
const keepCopy = (dataDir: string) => cpSync(dataDir, kept(dataDir), { recursive: true })
function putCopy(dataDir: string) {
  rmSync(dataDir, { recursive: true, force: true })
  rmSync(aside(dataDir), { recursive: true, force: true })
  renameSync(kept(dataDir), dataDir)
}

/** A copy of the halted server's folder has all acknowledged changes. Later writes are in removed files. */
export const swaps: [Swap, ...Swap[]] = [
  {
    name: 'replaced by a copy',
    take(dataDir) {
      keepCopy(dataDir)
      renameSync(dataDir, aside(dataDir))
      renameSync(kept(dataDir), dataDir)
    },
    after: (dataDir) => rmSync(aside(dataDir), { recursive: true }),
  },
  {
    name: 'removed',
    take(dataDir) {
      keepCopy(dataDir)
      rmSync(dataDir, { recursive: true })
    },
    after: putCopy,
  },
  {
    name: 'moved, and an empty one is in its place',
    take(dataDir) {
      keepCopy(dataDir)
      renameSync(dataDir, aside(dataDir))
      mkdirSync(dataDir)
    },
    after: putCopy,
  },
  {
    name: 'without its write-ahead logs',
    take(dataDir) {
      keepCopy(dataDir)
      for (const name of ['nines.db-wal', 'samples.db-wal']) rmSync(join(dataDir, name))
    },
    after: putCopy,
  },
]

/** Moves the folder away under the running server; `back` moves it back. */
export function moveAway(dataDir: string): { back(): void } {
  renameSync(dataDir, aside(dataDir))
  return { back: () => renameSync(aside(dataDir), dataDir) }
}

/** Starts a server on the folder, with high quotas. */
export function start(dataDir: string): Promise<Nines> {
  const env = { SOURCE_URL: 'embedded', QUOTA_SLOS: '1000000', QUOTA_TEAMS: '1000000' }
  return startNines({ dataDir, env })
}

/** Registers the account of the clients. */
export async function setUp(dataDir: string): Promise<string> {
  const nines = await start(dataDir)
  const token = await register(nines, 'ada')
  nines.kill('SIGTERM')
  await nines.exited
  return token
}
