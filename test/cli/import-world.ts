import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSamples } from '../../src/db/open-samples.ts'
import { createSampleStore } from '../../src/embedded/store/sample-store.ts'
import { select, where } from '../embedded/store/store-world.ts'
import { newDataDir, testApp } from '../support/app.ts'
import { closeLater } from '../support/closing.ts'
import { command } from '../support/process.ts'

const clock = { now: () => Date.now() } // like the program's

/** A folder in which to call `nines import`, with a data folder `data` that no server uses. */
export function importWorld() {
  const folder = newDataDir()
  const dataDir = join(folder, 'data')
  closeLater(() => rmSync(folder, { recursive: true, force: true }))

  function spawn(args: string[], env: Record<string, string> = {}) {
    const stdio = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const
    const options = { cwd: folder, env: { DATA_DIR: dataDir, ...env }, ...stdio }
    const child = Bun.spawn([...command, 'import', ...args], options)
    closeLater(() => child.kill('SIGKILL'))
    return child
  }

  return {
    folder,
    dataDir,
    spawn,
    /** Runs `nines import …` and waits for its end. */
    async run(args: string[], env: Record<string, string> = {}) {
      const child = spawn(args, env)
      child.stdin.end()
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      return { out, err, code }
    },
    /** Creates a file in the folder and returns its name. */
    file(content: string | Uint8Array, name = 'past.om'): string {
      writeFileSync(join(folder, name), content)
      return name
    },
    /** Opens nines on the data folder; closing it keeps the folder. */
    async nines() {
      const nines = await testApp({ dataDir, clock, env: { SOURCE_URL: 'embedded' } })
      return { ...nines, close: () => nines.app.close() }
    },
    /** Creates organizations with these names and the ids 1, 2, …. */
    async organizations(...names: string[]) {
      const nines = await this.nines()
      for (const [at, name] of names.entries()) {
        const account = { email: `${at}@example.com`, name: 'Ada', password: 'correct horse', organization_name: name }
        const { text, status } = await nines.call('POST', '/api/v1/auth/register', account, { token: null })
        if (status !== 201) throw new Error(text)
      }
      await nines.close()
    },
    /** Number of samples of a metric in an organization. */
    count(metric: string, organizationId = 1): number {
      const store = createSampleStore({ file: openSamples(dataDir), clock, keepMs: 1e12, maxBytes: 1e12 })
      const found = select(store, organizationId, [where('__name__', '=', metric)], 0, 1e15)
      store.close()
      return found.reduce((sum, { timesMs }) => sum + timesMs.length, 0)
    },
  }
}

/** Unix seconds, `minutes` ago. */
export function ago(minutes: number): number {
  return Math.floor(Date.now() / 1000) - 60 * minutes
}
