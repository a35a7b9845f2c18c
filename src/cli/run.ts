import { ConfigError, describeConfig, readConfig } from '../config.ts'
import { currentVersion } from '../db/migrations.ts'
import { NotLoadedError } from '../db/sqlite.ts'
import { AppError } from '../errors.ts'
import { nearest } from '../http/checks/request-check.ts'
import { admin } from './admin.ts'
import { annotate } from './annotate.ts'
import { backup } from './backup.ts'
import { bucket } from './bucket.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor/doctor.ts'
import { exportPast } from './export-samples.ts'
import { healthcheck } from './healthcheck.ts'
import { importFile } from './import/import.ts'
import { migrate } from './migrate.ts'
import { restore } from './restore/restore.ts'
import { rotateSecret } from './rotate-secret.ts'
import { serve } from './serve.ts'
import { takeConfigFile } from './settings/config-argument.ts'
import { loadSettings, type Settings } from './settings/settings.ts'
import { type CommandName, correction, helpOf, overview, usages } from './usage.ts'
import { UsageError } from './usage-error.ts'
import { verify } from './verify.ts'
import { version as current } from '../../package.json' with { type: 'json' }
import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'text' }

/** Runs to its end and returns the exit code. Throws `UsageError` for unknown arguments. */
type Command = (args: string[], settings: Settings) => number | Promise<number>

const commands: Record<CommandName, Command> = {
  serve,
  demo: withoutArguments(demo),
  import: importFile,
  'export-samples': exportPast,
  annotate,
  backup,
  bucket,
  restore,
  verify,
  migrate,
  'rotate-secret': rotateSecret,
  admin,
  doctor: (args, settings) => doctor({ json: isJson(args) }, settings),
  healthcheck: withoutArguments(healthcheck),
  config,
  licenses: withoutArguments(licenses),
  version,
  help,
}
const aliases: Record<string, string> = { '--version': 'version', '-v': 'version', '--help': 'help', '-h': 'help' }

/** Runs the subcommand that the arguments name; `serve` if there are none. `--config FILE`: a file with settings. */
export async function run(argv: string[]): Promise<number> {
  // The reader may close the pipe early, as `head` does.
  process.stdout.on('error', leave)
  process.stderr.on('error', leave)
  const { file, args } = takeConfigFile(argv)
  const [given = 'serve', ...rest] = args
  const name = commandNamed(aliases[given] ?? given)
  try {
    if (name === undefined) throw new UsageError(`unknown command "${given}"${suggested(given)}`)
    if (rest.includes('--help') || rest.includes('-h')) return print(helpOf(name))
    if (file === '') throw new UsageError('--config takes a FILE')
    return await commands[name](rest, loadSettings(process.env, file))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    process.stderr.write(`nines: ${describe(error)}\n`)
    if (error instanceof UsageError) process.stderr.write(correction(name))
    return error instanceof UsageError || error instanceof ConfigError ? 2 : 1
  }
}

function commandNamed(name: string): CommandName | undefined {
  return Object.hasOwn(usages, name) ? (name as CommandName) : undefined
}

function suggested(name: string): string {
  const suggestion = nearest(name, Object.keys(usages))
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`
}

function describe(error: Error): string {
  if (error instanceof NotLoadedError) return describeUnloadable(error, process.env)
  return error instanceof AppError && error.details !== undefined ? `${error.message}: ${error.details}` : error.message
}

/** Describes that SQLite cannot be loaded: an executable unpacks it at the start, and unpacking is what fails. */
export function describeUnloadable({ message }: NotLoadedError, env: Record<string, string | undefined>): string {
  const folder = env['BUN_TMPDIR'] ?? env['TMPDIR'] ?? '/tmp'
  return `SQLite cannot be loaded from the temporary directory ${folder}: ${message}; set BUN_TMPDIR to a folder that can be written to and is not mounted noexec`
}

/** A command that takes no arguments. */
function withoutArguments(command: (settings: Settings) => number | Promise<number>): Command {
  return (args, settings) => {
    if (args.length > 0) throw new UsageError(`unknown argument "${args.join(' ')}"`)
    return command(settings)
  }
}

/** True if the arguments of a command that takes no others are `--json`. */
function isJson(args: string[]): boolean {
  const unknown = args.filter((arg) => arg !== '--json')
  if (unknown.length > 0) throw new UsageError(`unknown argument "${unknown.join(' ')}"`)
  return args.length > 0
}

function version(args: string[]): number {
  if (!isJson(args)) return print(`${current}\n`)
  const { platform, arch } = process
  return printJson({ version: current, bun: Bun.version, platform, arch, schema: currentVersion })
}

const titles = { environment: '# set in the environment', file: '# set in the file', default: '# defaults' }

/** Prints the effective settings by their origin, as lines `NAME=value` or as JSON. */
function config(args: string[], settings: Settings): number {
  const json = isJson(args)
  const described = describeConfig(readConfig(settings.env, { isTerminal: process.stderr.isTTY }))
  const all = described.map(({ name, value }) => ({ name, value, origin: settings.originOf(name) }))
  for (const sentence of settings.unknown) process.stderr.write(`nines: ${sentence}\n`)
  if (json) return printJson(all)
  const blocks = (['environment', 'file', 'default'] as const).flatMap((group) => {
    const lines = all.filter(({ origin }) => origin === group).map(({ name, value }) => `${name}=${value}`)
    const title = group === 'file' ? `${titles.file} ${settings.file}` : titles[group]
    return lines.length === 0 ? [] : [`${[title, ...lines].join('\n')}\n`]
  })
  return print(blocks.join('\n'))
}

function help([name, ...others]: string[]): number {
  if (name === undefined) return print(overview)
  const known = commandNamed(name)
  if (known === undefined || others.length > 0) throw new UsageError(`unknown command "${[name, ...others].join(' ')}"`)
  return print(helpOf(known))
}

/** Prints the licences of third-party software in the executable. */
function licenses(): number {
  return print(notices)
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function printJson(value: unknown): number {
  return print(`${JSON.stringify(value, null, 2)}\n`)
}

function leave(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
