import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openApp } from '../../app.ts'
import { createConfiguredLog } from '../../app/log.ts'
import { publicUrlOf } from '../../app/outbound.ts'
import { stopwatch, systemClock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { prepareDataDir, syncFolder } from '../../db/data-folder/data-dir.ts'
import { lockDataDir } from '../../db/data-folder/lock.ts'
import { assertNotLost } from '../../db/data-folder/lost-database.ts'
import { type Connection, Database } from '../../db/sqlite.ts'
import { createServer } from '../../server.ts'
import { createApiClient } from './api-client.ts'
import { demoEmail, demoPassword, pastMs, seedDemo } from './seed.ts'

/** Folders inside the data folder: of a demo that is being made, and of one that only has to be moved to its place. */
const [draftName, finishedName] = ['demo-being-made', 'demo-made']

/** Port in the demo's data if the real one is known only once nines listens. */
const placeholderPort = 8080

type Options = { receiverUrl: string; isStopping: () => boolean }

/**
 * Creates a demo in a data folder that has no account yet, with an app whose clock runs through the past. It is created in a
 * separate folder: a kill leaves the data folder as it was, and the next start creates or installs the demo.
 */
export async function createDemo(config: Config, options: Options): Promise<void> {
  const dataDir = prepareDataDir(config.dataDir)
  const lock = lockDataDir(dataDir)
  const [draft, finished] = [join(dataDir, draftName), join(dataDir, finishedName)]
  try {
    if (!existsSync(finished)) {
      assertNotLost(dataDir)
      if (hasAccounts(join(dataDir, 'nines.db'))) return
      rmSync(draft, { recursive: true, force: true })
      mkdirSync(draft)
      const isMade = await makeDemo({ ...config, dataDir: draft }, options)
      if (!isMade) return rmSync(draft, { recursive: true, force: true })
      renameSync(draft, finished)
      syncFolder(finished)
    }
    install(finished, dataDir)
  } finally {
    lock.release()
  }
}

/** True if there is a database with an account, or one that cannot be read: the start of the app then reports why. */
function hasAccounts(path: string): boolean {
  if (!existsSync(path)) return false
  let db: Connection | undefined
  try {
    db = new Database(path)
    return db.prepare('select 1 from users limit 1').get() !== undefined
  } catch {
    return true
  } finally {
    db?.close()
  }
}

/** Moves the files of a demo into the data folder, in place of a database without accounts. Can be repeated after a kill. */
function install(finished: string, dataDir: string): void {
  const isReplaced = (name: string) => /^(?:nines|samples)\.db/.test(name)
  if (existsSync(join(finished, 'samples.db'))) {
    for (const name of readdirSync(dataDir).filter(isReplaced)) rmSync(join(dataDir, name))
  }
  const names = readdirSync(finished).filter((name) => !name.startsWith('nines.lock'))
  // samples.db first: once it has moved, a repetition deletes nothing; nines.db last: until then there is no account
  const order = (name: string) => (name === 'samples.db' ? 0 : name === 'nines.db' ? 2 : 1)
  for (const name of names.toSorted((one, other) => order(one) - order(other))) {
    renameSync(join(finished, name), join(dataDir, name))
  }
  rmSync(finished, { recursive: true })
  syncFolder(finished)
}

/** Makes the demo in an empty data folder; false if nines was stopped before it was complete. */
async function makeDemo(config: Config, { receiverUrl, isStopping }: Options): Promise<boolean> {
  const log = createConfiguredLog(config, systemClock)
  log.info('making the demo: 35 days of a sample service')
  const liveMs = systemClock.now()
  let [setMs, setAtMs] = [liveMs - pastMs, stopwatch.now()]
  const clock = { now: () => setMs + Math.floor(stopwatch.now() - setAtMs) } // goes on from the time that was set last
  // the demo's receiver is on this machine, which the settings may deny to channels
  const overrides = { registration: 'invite' as const, outboundDeny: [] }
  const errorLog = createConfiguredLog({ ...config, logLevel: 'error' }, systemClock)
  const app = openApp({ ...config, ...overrides }, { clock, stopwatch: clock, log: errorLog })
  try {
    const server = createServer(app)
    const handle = async (request: Request) => server.handle(request)
    const account = { email: demoEmail, password: demoPassword(config.dataDir) }
    const callPublic = createApiClient(handle, null)
    await callPublic('POST', '/auth/register', {
      ...account,
      name: 'Demo',
      organization_name: 'Demo',
      setup_token: app.setupToken.secret(),
    })
    const { access_token } = await callPublic('POST', '/auth/login', account)
    const setTime = (timeMs: number) => {
      ;[setMs, setAtMs] = [timeMs, stopwatch.now()]
      if (isStopping()) app.startClosing()
    }
    const ownUrl = publicUrlOf({ ...config, publicUrl: null, port: config.port || placeholderPort }, app.listener)()
    await seedDemo(app, createApiClient(handle, String(access_token)), { liveMs, ownUrl, receiverUrl, setTime })
  } catch (error) {
    if (!isStopping()) throw error
  } finally {
    await app.close()
  }
  if (isStopping()) return false
  log.info('the demo is made', { seconds: (systemClock.now() - liveMs) / 1000 })
  return true
}
