import { listAccounts } from '../../auth/accounts/store.ts'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import { readConfig } from '../../config.ts'
import { besideServer } from '../../db/open-beside.ts'

/** Prints every account: a table for people, or a JSON array. */
export async function adminList({ json }: { json: boolean }): Promise<number> {
  const accounts = await besideServer(readConfig(process.env).dataDir, ({ read }) => listAccounts(read))
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

/** Names are chosen by users, and a terminal obeys control characters. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}
