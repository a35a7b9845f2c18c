import { parseArgs, type ParseArgsConfig } from 'node:util'
import { adminList } from './list.ts'
import { adminResetPassword } from './reset-password.ts'
import { UsageError } from '../usage-error.ts'

const usage = 'admin takes list [--json] or reset-password EMAIL [--password-stdin]'

/** `nines admin …`: what an operator does about accounts with a shell only, also while the server runs. */
export async function admin([command, ...rest]: string[]): Promise<number> {
  process.umask(0o077) // as the server, whose files these are
  if (command === 'list') {
    const { flags, positionals } = parse(rest, 'json')
    if (positionals.length > 0) throw new UsageError(usage)
    return adminList({ json: flags.has('json') })
  }
  if (command === 'reset-password') {
    const { flags, positionals } = parse(rest, 'password-stdin')
    const [email, ...others] = positionals
    if (email === undefined || others.length > 0) throw new UsageError(usage)
    return adminResetPassword({ email: email.trim(), passwordFromStdin: flags.has('password-stdin') })
  }
  throw new UsageError(usage)
}

function parse(args: string[], flag: string): { flags: Set<string>; positionals: string[] } {
  const options: ParseArgsConfig['options'] = { [flag]: { type: 'boolean' } }
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return { flags: new Set(Object.keys(values)), positionals }
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new UsageError(usage, { cause })
  }
}
