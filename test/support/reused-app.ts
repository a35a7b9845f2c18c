import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Options, type TestApp, testApp } from './app.ts'
import { type People, people } from './people.ts'
import { preparedApp } from './prepared-app.ts'

type Settings = Pick<Options, 'env'>
type Made = { nines: TestApp; result: unknown }
type Kept = Made & { key: string; before: string }

/** The app that the last test gave back as it had got it. */
let kept: Kept | undefined
const seen = new Set<string>()

/** Starts a nines with the account `ada`, as `reusedApp` does. */
export async function joinedApp(options: Settings = {}): Promise<TestApp> {
  return (await reusedApp('ada', options, (nines) => nines.join('ada'))).nines
}

/** Starts a nines with an organization of each role and a stranger, as `reusedApp` does. */
export async function peopleApp(options: Settings = {}): Promise<{ nines: TestApp; who: People }> {
  const { nines, result } = await reusedApp('people', options, people)
  return { nines, who: result }
}

/**
 * A nines as `prepare` left one, and what it returned, for tests that use it only through requests. A test that has changed
 * nothing, as those of refused requests, hands its app on: `close` keeps it for the next call with the same name and settings if
 * clock and files are as they were and it has opened no socket. Not for tests of what is in memory only, as counts in `/metrics`
 * and kept responses.
 */
export async function reusedApp<Result>(
  name: string,
  { env = {} }: Settings,
  prepare: (nines: TestApp) => Promise<Result>,
): Promise<{ nines: TestApp; result: Result }> {
  const key = JSON.stringify([name, env])
  const last = kept
  kept = undefined
  if (last?.key === key) return lend<Result>(last)
  await last?.nines.close()
  const made = await open(key, name, env, prepare)
  return lend<Result>({ ...made, key, before: stateOf(made.nines) })
}

/** A template pays for itself from the third app with these settings. */
async function open<Result>(
  key: string,
  name: string,
  env: Record<string, string>,
  prepare: (nines: TestApp) => Promise<Result>,
): Promise<Made> {
  if (seen.has(key)) return preparedApp(name, { env }, prepare)
  seen.add(key)
  const nines = await testApp({ env })
  return { nines, result: await prepare(nines) }
}

function lend<Result>(one: Kept): { nines: TestApp; result: Result } {
  const { nines, result, before } = one
  nines.logged.length = 0
  let hasListened = false
  let isClosed = false
  const lent: TestApp = {
    ...nines,
    listen(port) {
      hasListened = true
      return nines.listen(port)
    },
    async close() {
      if (isClosed) return
      isClosed = true
      const isOpen = !nines.app.isClosing()
      if (isOpen) await nines.app.refusals.drain() // they are written a moment after the response
      if (isOpen && !hasListened && !kept && stateOf(nines) === before) kept = one
      else await nines.close()
    },
  }
  return { nines: lent, result: structuredClone(result as Result) }
}

/** Text that differs once the clock was set or a file was written. */
function stateOf({ clock, dataDir }: TestApp): string {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => !name.endsWith('-shm'))
  const written = files.toSorted().map((name) => {
    const { mtimeNs, size } = statSync(join(dataDir, name), { bigint: true })
    return `${name} ${mtimeNs} ${size}`
  })
  return [clock.now(), ...written].join('\n')
}
