import { describe, expect, test } from 'bun:test'
import { collectNotices, isPermissive, noticesFile, renderNotices } from '../../scripts/notices.ts'
import { command } from '../support/process.ts'

const notices = await collectNotices()

test.each(notices)('$name has a permissive licence ($license), and its text', ({ license, text }) => {
  expect([isPermissive(license), text.length > 80]).toEqual([true, true])
})

test('the runtime, the database and direct dependencies are among what is bundled', () => {
  const names = notices.map(({ name }) => name)
  for (const name of ['Bun', 'SQLite', 'better-sqlite3', 'elysia', 'kysely', 'swagger-ui-dist']) {
    expect(names).toContain(name)
  }
  expect(names).not.toContain('typescript')
})

test('THIRD-PARTY-NOTICES.txt is what `npm run notices` writes', async () => {
  expect(await Bun.file(noticesFile).text()).toBe(renderNotices(notices))
})

test('nines licenses names each with its version, and prints its text', async () => {
  const child = Bun.spawn([...command, 'licenses'], { env: {}, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([err, code]).toEqual(['', 0])
  const lines = out.split('\n')
  for (const { name, version, license, text } of notices) {
    expect(lines).toContain(`  ${name} ${version} (${license})`)
    expect(out.includes(text)).toBe(true)
  }
})

test('nines licenses ends quietly when its reader has seen enough', async () => {
  const script = 'set -o pipefail; "$@" licenses | head -n 1'
  const child = Bun.spawn(['bash', '-c', script, 'bash', ...command], { stdout: 'pipe', stderr: 'pipe' })
  const [err, code] = await Promise.all([child.stderr.text(), child.exited])
  expect([err, code]).toEqual(['', 0])
})

describe('an expression of licences', () => {
  test.each(['MIT', '0BSD', '(MIT OR GPL-3.0-only)', 'Apache-2.0 AND MIT', 'GPL-2.0-only OR BSD-2-Clause AND ISC'])(
    '%s is permissive',
    (expression) => expect(isPermissive(expression)).toBe(true),
  )
  test.each(['GPL-3.0-only', 'MIT AND LGPL-2.1-only', 'AGPL-3.0-only OR SSPL-1.0', 'SEE LICENSE IN x', ''])(
    '%s is not',
    (expression) => expect(isPermissive(expression)).toBe(false),
  )
})
