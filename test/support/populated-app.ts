import { cpSync } from 'node:fs'
import { type Options, type TestApp, testApp } from './app.ts'
import { type Populated, populated } from './populated.ts'
import { copyOf, newTemplateDir } from './template-data-dir.ts'

type Template<Name extends string> = { dataDir: string; own: Record<Name, Populated> }

const templates = new Map<string, Promise<Template<string>>>()

/**
 * A nines with a populated organization for each name; `teams` are the ids of their second teams. Copied from a template that
 * is filled once per process for the same names and settings.
 */
export async function populatedApp<Name extends string>(
  teams: Record<Name, number>,
  options: Pick<Options, 'env'> = {},
): Promise<{ nines: TestApp } & Record<Name, Populated>> {
  const key = JSON.stringify([teams, options])
  if (!templates.has(key)) templates.set(key, makeTemplate(teams, options))
  const { dataDir, own } = (await templates.get(key)) as Template<Name>
  const nines = await testApp({ ...options, dataDir: copyOf(dataDir) })
  return { nines, ...own }
}

async function makeTemplate(teams: Record<string, number>, options: Pick<Options, 'env'>): Promise<Template<string>> {
  const dataDir = newTemplateDir()
  const nines = await testApp(options)
  const own: Record<string, Populated> = {}
  for (const [name, team] of Object.entries(teams)) own[name] = await populated(nines, name, team)
  await nines.app.close()
  cpSync(nines.dataDir, dataDir, { recursive: true })
  await nines.close()
  return { dataDir, own }
}
