import { ConfigError } from '../config.ts'
import { NotLoadedError } from '../db/sqlite.ts'
import { AppError } from '../errors.ts'
import { admin } from './admin/admin.ts'
import { backup } from './backup.ts'
import { config } from './config.ts'
import { demo } from './demo.ts'
import { help } from './help.ts'
import { importFile } from './import/import.ts'
import { licenses } from './licenses.ts'
import { restore } from './restore.ts'
import { rotateSecret } from './rotate-secret.ts'
import { serve } from './serve.ts'
import { UsageError } from './usage-error.ts'
import { version } from './version.ts'

/** Does its work, to the end, and gives the exit code; throws `UsageError` for arguments it does not know. */
type Command = (args: string[]) => number | Promise<number>

const commands: Record<string, Command> = {
  serve,
  demo: alone(demo),
  import: importFile,
  backup,
  restore,
  'rotate-secret': rotateSecret,
  admin,
  config: alone(config),
  licenses: alone(licenses),
  version: alone(version),
  help: alone(help),
}
const spellings: Record<string, string> = { '--version': 'version', '-v': 'version', '--help': 'help', '-h': 'help' }

/** Runs the subcommand that the arguments name; `serve` without any. */
export async function run([name = 'serve', ...rest]: string[]): Promise<number> {
  const command = commands[spellings[name] ?? name]
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

/** An executable unpacks SQLite at the start, and that is what fails. */
export function describeUnloadable({ message }: NotLoadedError, env: Record<string, string | undefined>): string {
  const folder = env['BUN_TMPDIR'] ?? env['TMPDIR'] ?? '/tmp'
  return `SQLite cannot be loaded from the temporary directory ${folder}: ${message}; set BUN_TMPDIR to a folder that can be written to and is not mounted noexec`
}

/** A command that takes no arguments. */
function alone(command: () => number | Promise<number>): Command {
  return (args) => {
    if (args.length > 0) throw new UsageError(`unknown argument "${args.join(' ')}"`)
    return command()
  }
}
