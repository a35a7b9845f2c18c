import { parseArgs, type ParseArgsConfig } from 'node:util'
import type { Settings } from './settings/settings.ts'
import { UsageError } from './usage-error.ts'
import { findUserByEmail, listAccounts } from '../auth/accounts/store.ts'
import { isoTime, isoTimeOrNull, systemClock as clock } from '../clock.ts'
import { type Config, readConfig, useSetting } from '../config.ts'
import { withDatabase } from '../db/with-database.ts'
import { text } from 'node:stream/consumers'
import { publicUrlOf } from '../app/outbound.ts'
import { NewPassword } from '../auth/accounts/model.ts'
import { issueReset, resetAsOperator } from '../auth/passwords/replace.ts'
import { createPasswords } from '../auth/passwords/passwords.ts'
import { disableAsOperator } from '../auth/second-factor/second-factor.ts'
import { createLog } from '../log.ts'
import { createMailer } from '../mail.ts'
import type { Database } from '../db/open.ts'
import type { UserRow } from '../db/tables/tables.ts'

/** `nines admin …`: manages accounts, for an operator who only has a shell, also while the server runs. */
export async function admin([command, ...rest]: string[], settings: Settings): Promise<number> {
  process.umask(0o077) // like the server, which owns these files
  if (command === 'list') {
    const { flags, positionals } = parse(rest, 'json')
    if (positionals.length > 0) throw new UsageError('admin list takes no arguments but --json')
    return adminList({ json: flags.has('json') }, settings)
  }
  if (command === 'reset-password') {
    const { flags, positionals } = parse(rest, 'password-stdin')
    const email = onlyEmail(command, positionals)
    return adminResetPassword({ email, passwordFromStdin: flags.has('password-stdin') }, settings)
  }
  if (command === 'disable-mfa') return adminDisableMfa(onlyEmail(command, parse(rest).positionals), settings)
  const got = command === undefined ? 'nothing' : `"${command}"`
  throw new UsageError(`admin takes list, reset-password or disable-mfa, got ${got}`)
}

/** The arguments are not repeated: one of them may be a password. */
function onlyEmail(command: string, [email, ...others]: string[]): string {
  if (email === undefined || others.length > 0) {
    throw new UsageError(`admin ${command} takes one EMAIL, got ${others.length === 0 ? 'none' : others.length + 1}`)
  }
  return email.trim()
}

function parse(args: string[], flag?: string): { flags: Set<string>; positionals: string[] } {
  const options: ParseArgsConfig['options'] = flag === undefined ? {} : { [flag]: { type: 'boolean' } }
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return { flags: new Set(Object.keys(values)), positionals }
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new UsageError(cause.message.replace(/\. .*/, ''), { cause }) // without the advice about dashes
  }
}

/** Prints every account: a table for people, or a JSON array. */
async function adminList({ json }: { json: boolean }, settings: Settings): Promise<number> {
  const accounts = await withDatabase(readConfig(settings.env).dataDir, ({ read }) => listAccounts(read))
  const presented = accounts.map(present)
  process.stdout.write(json ? `${JSON.stringify(presented, null, 2)}\n` : table(presented))
  return 0
}

type Account = Awaited<ReturnType<typeof listAccounts>>[number]
type Presented = ReturnType<typeof present>

function present(account: Account) {
  const { id, email, name, role, organization_id, organization_name } = account
  return {
    id,
    email,
    name,
    organization: { id: organization_id, name: organization_name },
    role,
    email_confirmed: account.email_confirmed_at !== null,
    created_at: isoTime(account.created_at),
    last_login_at: isoTimeOrNull(account.last_login_at),
  }
}

const titles = ['E-MAIL', 'NAME', 'ORGANIZATION', 'ROLE', 'CONFIRMED', 'LAST LOGIN']

function table(accounts: Presented[]): string {
  if (accounts.length === 0) return 'there is no account yet\n'
  const rows = [titles, ...accounts.map(cells)].map((row) => row.map(printable))
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

function cells({ email, name, organization, role, email_confirmed, last_login_at }: Presented): string[] {
  const confirmed = email_confirmed ? 'yes' : 'no'
  return [email, name, `${organization.id} (${organization.name})`, role, confirmed, last_login_at ?? '-']
}

/** Replaces control characters: a terminal obeys them, and names are chosen by users. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}

type NewReset = { email: string; passwordFromStdin: boolean }

/** Origin in the audit log. */
const operator = { ip: 'local', userAgent: 'nines admin reset-password' }

/** Prints a link that sets a new password, or sets the password given on stdin. */
async function adminResetPassword({ email, passwordFromStdin }: NewReset, settings: Settings): Promise<number> {
  const config = readConfig(settings.env)
  const password = passwordFromStdin ? await readPassword() : undefined
  const message = await withDatabase(config.dataDir, async (db) => {
    const user = await existingUser(db, email)
    return password === undefined ? printLink(db, user, config) : setPassword(db, user, password, config)
  })
  process.stdout.write(message)
  return 0
}

async function existingUser(db: Database, email: string): Promise<UserRow> {
  const user = await findUserByEmail(db.read, email)
  if (!user) throw new Error(`there is no account with the e-mail "${email}"; nines admin list shows all`)
  return user
}

/** Removes the second factor of an account, and mails its owner where mail is set up. */
async function adminDisableMfa(email: string, settings: Settings): Promise<number> {
  const config = readConfig(settings.env)
  const write = (line: string) => process.stderr.write(line)
  const log = createLog({ level: 'warn', format: config.logFormat, now: clock.now, write })
  const allowance = { take: () => null } // one mail, by the operator's hand
  const mailer = createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, allowance, log })
  const message = await withDatabase(config.dataDir, async (db) => {
    const user = await existingUser(db, email)
    const publicUrl = publicUrlOf(config, { port: null })
    const origin = { ip: 'local', userAgent: 'nines admin disable-mfa' }
    const isDone = await disableAsOperator({ db, clock, mailer, publicUrl }, user, origin)
    return isDone
      ? `${user.email} has no second factor any more, and signs in with the password alone\n`
      : `${user.email} had no second factor; nothing is changed\n`
  })
  await mailer.drain()
  process.stdout.write(message)
  return 0
}

const ending = 'all sessions of the user end, API tokens are revoked, and applications have no access any more'

async function printLink(db: Database, user: UserRow, config: Config): Promise<string> {
  const { token, expiresAtMs } = await issueReset({ db, clock }, user, operator)
  const url = publicUrlOf(config, { port: null })()
  return `the next password of ${user.email} is set with this link, once, until ${isoTime(expiresAtMs)}:

${url}/reset-password?token=${token}

or with POST ${url}/api/v1/auth/password-reset-confirm
{"token": "${token}", "new_password": "…"}

then ${ending}
`
}

async function setPassword(db: Database, user: UserRow, password: string, config: Config): Promise<string> {
  await resetAsOperator({ db, clock, passwords: useSetting(() => createPasswords(config)) }, user, password, operator)
  return `the password of ${user.email} is new; ${ending}
`
}

async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('new password (it is visible), a line end and Ctrl-D: ')
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  const { minLength = 0, maxLength = Infinity } = NewPassword
  if (/[\r\n]/.test(password)) throw new Error('the password on stdin must be one line')
  if (password.length < minLength || password.length > maxLength) {
    throw new Error(`the password on stdin must have ${minLength} to ${maxLength} characters`)
  }
  return password
}
