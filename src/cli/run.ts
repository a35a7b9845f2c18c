import { ConfigError } from '../config.ts'
import { config } from './config.ts'
import { help } from './help.ts'
import { serve } from './serve.ts'
import { version } from './version.ts'

/** Does its work, to the end, and gives the exit code. */
type Command = () => number | Promise<number>

const commands: Record<string, Command> = { serve, config, version, help }
const spellings: Record<string, string> = { '--version': 'version', '-v': 'version', '--help': 'help', '-h': 'help' }

/** Runs the subcommand that the arguments name; `serve` without any. */
export async function run([name = 'serve', ...rest]: string[]): Promise<number> {
  const command = commands[spellings[name] ?? name]
  if (!command || rest.length > 0) {
    process.stderr.write(`nines: unknown ${command ? `argument "${rest.join(' ')}"` : `command "${name}"`}\n\n`)
    help(process.stderr)
    return 2
  }
  try {
    return await command()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    process.stderr.write(`nines: ${error.message}\n`)
    return error instanceof ConfigError ? 2 : 1
  }
}
