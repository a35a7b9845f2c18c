import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError, type Environment, settingVariables } from '../../config.ts'
import { nearest } from '../../http/checks/request-check.ts'
import { type Assignment, EnvironmentFileError, parseEnvironmentFile } from './environment-file.ts'

export type Origin = 'environment' | 'file' | 'default'

/**
 * Settings of the environment and of the file of `--config`; a variable of the environment wins over the file, even an empty one.
 * `unknown`: a sentence for each variable of the environment that begins with `NINES_` and is no setting. `reload` reads the file
 * again.
 */
export type Settings = {
  env: Environment
  file: string | undefined
  unknown: string[]
  originOf(name: string): Origin
  reload(): Settings
}

/** Reads the file, if there is one. Throws `ConfigError` if that fails, or if it has variables that are no setting. */
export function loadSettings(environment: Environment, file: string | undefined): Settings {
  const assignments = file === undefined ? [] : readAssignments(file)
  const written = new Map(assignments.map(({ name, value }) => [name, value]))
  const env = { ...environment }
  const origins = new Map<string, Origin>()
  for (const names of settingVariables) {
    const isSet = names.some((name) => environment[name] !== undefined)
    const inFile = names.filter((name) => written.has(name))
    if (!isSet) for (const name of inFile) env[name] = written.get(name)
    const origin = inFile.length > 0 ? 'file' : 'default'
    origins.set(names[0] ?? '', isSet ? 'environment' : origin)
  }
  return {
    env,
    file,
    unknown: unknownOf(environment),
    originOf: (name) => origins.get(name) ?? 'default',
    reload: () => loadSettings(environment, file),
  }
}

const known = settingVariables.flat()

function readAssignments(file: string): Assignment[] {
  const path = resolve(file)
  const assignments = parse(path, read(path))
  const unknown = assignments.filter(({ name }) => !known.includes(name))
  if (unknown.length > 0) {
    throw new ConfigError(unknown.map(({ name, line }) => `${path}, line ${line}: ${unknownSetting(name)}`).join('\n'))
  }
  return assignments
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new ConfigError(`the file of --config, ${path}, cannot be read (${reason})`, { cause })
  }
}

function parse(path: string, text: string): Assignment[] {
  try {
    return parseEnvironmentFile(text)
  } catch (cause) {
    if (!(cause instanceof EnvironmentFileError)) throw cause
    throw new ConfigError(`${path}, ${cause.message}`, { cause })
  }
}

/** Variables that Kubernetes and Docker make for a service of the name nines. */
const madeForService = /^NINES_(?:SERVICE_(?:HOST|PORT\w*)|PORT(?:_\d+_(?:TCP|UDP)(?:_\w+)?)?|NAME|ENV_\w+)$/

function unknownOf(environment: Environment): string[] {
  const isMade = (name: string) =>
    madeForService.test(name) && (name !== 'NINES_PORT' || environment[name]?.includes('://') === true)
  const names = Object.keys(environment).filter((name) => name.startsWith('NINES_') && !isMade(name))
  return names.map(unknownSetting)
}

function unknownSetting(name: string): string {
  const suggestion = nearest(name.replace(/^NINES_/, ''), known)
  return `${name} is no setting of nines${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`
}
