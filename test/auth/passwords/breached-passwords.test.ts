import { afterEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertBreachedPasswords, isBreached } from '../../../src/auth/passwords/breached-passwords.ts'
import { createPasswords } from '../../../src/auth/passwords/passwords.ts'
import { readConfig } from '../../../src/config.ts'
import { checkBreachedPasswords } from '../../../src/cli/doctor/machine-checks.ts'
import { usualPassword } from '../../support/accounts.ts'
import { testApp } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { rulesOf } from '../../support/rules-of.ts'

afterEach(closeAll)

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'nines-breached-'))
  closeLater(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'pwned.txt')
  writeFileSync(path, text)
  return path
}

/** Passwords as the downloader writes them. */
const written = (passwords: string[], lineEnd = '\n') =>
  passwords
    .map((password, at) => `${sha1(password)}:${at + 1}${lineEnd}`)
    .toSorted()
    .join('')

const many = Array.from({ length: 50_000 }, (_, at) => `password ${at}`)

describe('a file of breached passwords', () => {
  test('has each of its passwords, and no others', async () => {
    const path = fileOf(written(many))
    assertBreachedPasswords(path)
    const sorted = many.toSorted((a, b) => (sha1(a) < sha1(b) ? -1 : 1))
    const ends = [sorted[0] ?? '', sorted.at(-1) ?? '']
    for (const one of [...ends, ...many.filter((_, at) => at % 97 === 0)])
      expect(await isBreached(path, one)).toBe(true)
    for (let at = 0; at < 500; at += 1) expect(await isBreached(path, `another ${at}`)).toBe(false)
  })

  test.each([
    ['one line', written(['a'])],
    ['line ends of Windows', written(['a', 'b', 'c'], '\r\n')],
    ['no end of the last line', written(['c', 'b', 'a']).trimEnd()],
    ['lower case', written(['a', 'b']).toLowerCase()],
  ])('may have %s', async (_, text) => {
    const path = fileOf(text)
    assertBreachedPasswords(path)
    expect([await isBreached(path, 'a'), await isBreached(path, 'z')]).toEqual([true, false])
  })

  test('is found where hashes are not spread evenly', async () => {
    const lines = many.map((one, at) => ({ one, hash: `00000${sha1(one).slice(5)}`, at }))
    const rare = sha1('rare')
    const text = [...lines.map(({ hash }) => hash), rare]
      .toSorted()
      .map((hash) => `${hash}:1\n`)
      .join('')
    const path = fileOf(text)
    assertBreachedPasswords(path)
    expect([await isBreached(path, 'rare'), await isBreached(path, 'another')]).toEqual([true, false])
  })

  test.each<[string, string, RegExp]>([
    ['is empty', '', /has to have a line SHA1:COUNT/],
    ['has passwords instead of hashes', 'secret\nletmein\n', /has to have a line SHA1:COUNT/],
    ['has NTLM hashes', `${'A'.repeat(32)}:4\n`, /has to have a line SHA1:COUNT/],
    ['is sorted by count', written(many).split('\n').toReversed().filter(Boolean).join('\n'), /is not sorted by hash/],
    ['has one very long line', 'A'.repeat(100_000), /has to have a line SHA1:COUNT/],
  ])('is refused if it %s', (_, text, problem) => {
    const path = fileOf(text)
    expect(() => assertBreachedPasswords(path)).toThrow(problem)
    expect(() => assertBreachedPasswords(path)).toThrow(`BREACHED_PASSWORDS_FILE: ${path}`)
  })

  test('is refused if it is a pipe, which would be waited for', () => {
    const path = `${fileOf('')}.pipe`
    Bun.spawnSync(['mkfifo', path])
    expect(() => assertBreachedPasswords(path)).toThrow('is not a file')
  })

  test('that is missing ends the start, and is an error of nines doctor', () => {
    const env = { BREACHED_PASSWORDS_FILE: '/missing/pwned.txt' }
    expect(() => createPasswords(readConfig(env))).toThrow(/^BREACHED_PASSWORDS_FILE: \/missing\/pwned\.txt: ENOENT/)
    expect(checkBreachedPasswords(readConfig(env))).toMatchObject([{ check: 'passwords', level: 'error' }])
  })

  test('that can be used is said to be so by nines doctor, and nothing without one', () => {
    const path = fileOf(written(many))
    expect(checkBreachedPasswords(readConfig({ BREACHED_PASSWORDS_FILE: path }))).toMatchObject([{ level: 'ok' }])
    expect(checkBreachedPasswords(readConfig({}))).toEqual([])
  })
})

describe('with BREACHED_PASSWORDS_FILE', () => {
  const breached = 'staple battery 1'

  test('a password that is known from a breach is refused, and another is taken', async () => {
    const nines = await testApp({ env: { BREACHED_PASSWORDS_FILE: fileOf(written([...many, breached])) } })
    closeLater(() => nines.close())
    await nines.join('ada')
    const change = (new_password: string) =>
      nines.call('POST', '/api/v1/auth/change-password', { current_password: usualPassword, new_password })
    const { status, body } = await change(breached)
    expect([status, rulesOf(body)]).toEqual([
      400,
      'new_password: must not be a password that is known from a data breach',
    ])
    expect((await change('staple battery 2')).status).toBe(200)
    const account = { email: 'eve@example.com', name: 'eve', password: breached }
    expect((await nines.call('POST', '/api/v1/auth/register', account, { token: null })).status).toBe(400)
  })

  test.each<[string, (path: string) => void]>([
    ['is gone', (path) => rmSync(path)],
    ['was emptied', (path) => writeFileSync(path, '')],
    ['is no longer sorted', (path) => writeFileSync(path, written(many).split('\n').toReversed().slice(1).join('\n'))],
    ['is a folder now', (path) => (rmSync(path), mkdirSync(path))],
  ])('no password is set while the file %s', async (_, damage) => {
    const path = fileOf(written(many))
    const nines = await testApp({ env: { BREACHED_PASSWORDS_FILE: path } })
    closeLater(() => nines.close())
    await nines.join('ada')
    damage(path)
    const body = { current_password: usualPassword, new_password: 'staple battery 2' }
    const answer = await nines.call('POST', '/api/v1/auth/change-password', body)
    expect([answer.status, answer.body.details]).toEqual([
      503,
      'the list of breached passwords cannot be read: ask the administrator, who sees why with nines doctor',
    ])
  })
})
