import { ConfigError, describeConfig, readConfig } from '../config.ts'
import { NotLoadedError } from '../db/sqlite.ts'
import { AppError } from '../errors.ts'
import { admin } from './admin.ts'
import { annotate } from './annotate.ts'
import { backup } from './backup.ts'
import { demo } from './demo.ts'
import { exportPast } from './export-samples.ts'
import { importFile } from './import/import.ts'
import { restore } from './restore.ts'
import { rotateSecret } from './rotate-secret.ts'
import { serve } from './serve.ts'
import { UsageError } from './usage-error.ts'
import { version as current } from '../../package.json' with { type: 'json' }
import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'text' }

/** Runs to its end and returns the exit code. Throws `UsageError` for unknown arguments. */
type Command = (args: string[]) => number | Promise<number>

const commands: Record<string, Command> = {
  serve,
  demo: withoutArguments(demo),
  import: importFile,
  'export-samples': exportPast,
  annotate,
  backup,
  restore,
  'rotate-secret': rotateSecret,
  admin,
  config: withoutArguments(config),
  licenses: withoutArguments(licenses),
  version: withoutArguments(version),
  help: withoutArguments(help),
}
const aliases: Record<string, string> = { '--version': 'version', '-v': 'version', '--help': 'help', '-h': 'help' }

/** Runs the subcommand that the arguments name; `serve` if there are none. */
export async function run([name = 'serve', ...rest]: string[]): Promise<number> {
  const command = commands[aliases[name] ?? name]
  try {
    if (!command) throw new UsageError(`unknown command "${name}"`)
    if (rest.includes('--help') || rest.includes('-h')) return help()
    return await command(rest)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    process.stderr.write(`nines: ${describe(error)}\n`)
    if (error instanceof UsageError) {
      process.stderr.write('\n')
      help(process.stderr)
      return 2
    }
    return error instanceof ConfigError ? 2 : 1
  }
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
function withoutArguments(command: () => number | Promise<number>): Command {
  return (args) => {
    if (args.length > 0) throw new UsageError(`unknown argument "${args.join(' ')}"`)
    return command()
  }
}

function version(): number {
  process.stdout.write(`${current}\n`)
  return 0
}

/** Prints the effective settings as `NAME=value`, one a line. */
function config(): number {
  const settings = describeConfig(readConfig(process.env, { isTerminal: process.stderr.isTTY }))
  for (const { name, value } of settings) process.stdout.write(`${name}=${value}\n`)
  return 0
}

const text = `nines: service level objectives and error budgets from any Prometheus-compatible source

usage: nines [command]

  serve     start the server (the default)
            --new: in a data folder that has lost its nines.db, begin again
            --new-samples: in one that has lost its samples.db, go on without the past of the embedded source
  demo      start it with a demo: SLOs over a sample service with 35 days of past, and over nines itself
  import    bring samples of the past into the embedded source, while the server is stopped:
            nines import FILE.om [--organization ID_OR_NAME]
            FILE: OpenMetrics text with timestamps, what promtool tsdb create-blocks-from openmetrics
            reads; gzipped where it ends in .gz; - for stdin
  export-samples
            send samples of the past to REMOTE_WRITE_URL, also while the server runs:
            nines export-samples --from 2026-11-01 --to 2026-11-28T12:00:00Z [--match SELECTOR …]
            one that was stopped goes on where it ended when it is called again
  annotate  report a deploy to a nines that runs elsewhere: nines annotate --url https://nines.example.com
            --token-file FILE --kind deploy --service checkout --version v1.4.2
            [--label NAME=VALUE …] [--link URL] [--text TEXT] [--at TIME]
  backup    write databases and secrets into one file, also while the server runs: nines backup FILE
            nines backup --verify FILE restores it as a check
  restore   the same back into a data folder that is empty or does not exist: nines restore FILE
  rotate-secret
            replace a secret of the data folder, while the server is stopped: nines rotate-secret jwt|seal
            jwt: access tokens become invalid, and sessions go on; seal: stored credentials are sealed again
  admin     look after accounts from the shell, also while the server runs: nines admin list [--json]
            nines admin reset-password EMAIL: prints a link that sets a new password, good once, for an hour;
            with --password-stdin it reads the new password, one line, and sets it at once
  config    print the effective settings, secrets masked
  licenses  print the licences of the software of others in the executable
  version   print the version
  help      print this

Settings are environment variables. The ones to begin with:

  SOURCE_URL   source of each new organization: embedded (the default), which is inside of nines, or
               the base URL of a Prometheus-compatible one, such as http://localhost:9090
  DATA_DIR     folder of the database and the generated secrets (./data)
  HOST, PORT   where to listen (127.0.0.1, 8080)
`

function help(out: { write(text: string): unknown } = process.stdout): number {
  out.write(text)
  return 0
}

/** Prints the licences of third-party software in the executable. */
function licenses(): number {
  process.stdout.on('error', leave) // the reader may close the pipe early, as `head` does
  process.stdout.write(notices)
  return 0
}

function leave(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
