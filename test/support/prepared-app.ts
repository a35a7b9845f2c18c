import { cpSync } from 'node:fs'
import { type Options, type TestApp, testApp } from './app.ts'
import { shareWorkers } from './shared-workers.ts'
import { copyOf, newTemplateDir } from './template-data-dir.ts'

type Template = { dataDir: string; startMs: number; token: string | null; result: unknown }

const templates = new Map<string, Promise<Template>>()

/**
 * A nines as `prepare` left one, at the same time and with the same account, as after a restart; and what `prepare` returned.
 * Prepared once per process for the same name and settings, and copied for each test.
 */
export async function preparedApp<Result>(
  name: string,
  options: Pick<Options, 'env'>,
  prepare: (nines: TestApp) => Promise<Result>,
): Promise<{ nines: TestApp; result: Result }> {
  const made = templates.getOrInsertComputed(JSON.stringify([name, options]), () => makeTemplate(options, prepare))
  const { dataDir, startMs, token, result } = await made
  const nines = await testApp({ ...options, dataDir: copyOf(dataDir), startMs, token, workers: shareWorkers() })
  return { nines, result: structuredClone(result as Result) }
}

async function makeTemplate(
  options: Pick<Options, 'env'>,
  prepare: (nines: TestApp) => Promise<unknown>,
): Promise<Template> {
  const dataDir = newTemplateDir()
  const nines = await testApp(options)
  const result = await prepare(nines)
  const token = nines.token()
  await nines.app.close()
  cpSync(nines.dataDir, dataDir, { recursive: true })
  const startMs = nines.clock.now()
  await nines.close()
  return { dataDir, startMs, token, result }
}
