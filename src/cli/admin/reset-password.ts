import { text } from 'node:stream/consumers'
import { publicUrlOf } from '../../app/address-of.ts'
import { NewPassword } from '../../auth/accounts/model.ts'
import { issueReset, resetAsOperator } from '../../auth/passwords/replace.ts'
import { createPasswords } from '../../auth/passwords/passwords.ts'
import { findUserByEmail } from '../../auth/accounts/store.ts'
import { isoTime, systemClock as clock } from '../../clock.ts'
import { type Config, readConfig } from '../../config.ts'
import type { Database } from '../../db/open.ts'
import { besideServer } from '../../db/open-beside.ts'
import type { UserRow } from '../../db/tables/tables.ts'

type Wanted = { email: string; passwordFromStdin: boolean }

/** In the audit log. */
const operator = { ip: 'local', userAgent: 'nines admin reset-password' }

/** Prints a link that sets a new password, or sets the one that comes on stdin. */
export async function adminResetPassword({ email, passwordFromStdin }: Wanted): Promise<number> {
  const config = readConfig(process.env)
  const password = passwordFromStdin ? await readPassword() : undefined
  const said = await besideServer(config.dataDir, async (db) => {
    const user = await findUserByEmail(db.read, email)
    if (!user) throw new Error(`there is no account with the e-mail "${email}"; nines admin list shows all`)
    return password === undefined ? printLink(db, user, config) : setPassword(db, user, password)
  })
  process.stdout.write(said)
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

async function setPassword(db: Database, user: UserRow, password: string): Promise<string> {
  await resetAsOperator({ db, clock, passwords: createPasswords() }, user, password, operator)
  return `the password of ${user.email} is new; ${ending}
`
}

async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('new password (it is shown), a line end and Ctrl-D: ')
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  const { minLength = 0, maxLength = Infinity } = NewPassword
  if (/[\r\n]/.test(password)) throw new Error('the password on stdin must be one line')
  if (password.length < minLength || password.length > maxLength) {
    throw new Error(`the password on stdin must have ${minLength} to ${maxLength} characters`)
  }
  return password
}
