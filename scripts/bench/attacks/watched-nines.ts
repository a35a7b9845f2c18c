import { start } from '../support/child.ts'
import { account, noLimits, signUp } from '../support/processes.ts'

export type WatchedNines = Awaited<ReturnType<typeof startWatched>>

/** Starts nines from source in a folder that is kept, and measures how long its event loop stalls. */
export async function startWatched(dataDir: string, env: Record<string, string> = {}) {
  const variables = { DATA_DIR: dataDir, REGISTRATION: 'open', ...noLimits, ...env }
  const child = start('attacks/heavy-nines.ts', JSON.stringify(variables))
  const url = await child.next<string>()
  return {
    url,
    pid: child.pid,
    /** Longest stall since the last call, in milliseconds of CPU time. */
    async stallMs() {
      child.send('stall')
      return child.next<number>()
    },
    async end() {
      child.stop()
      await child.exited
    },
  }
}

/** Registers an account in a new organization and returns its token. */
export async function register(url: string, name: string): Promise<string> {
  return (await signUp({ url }, { ...account, email: `${name}@example.com` })).token
}
