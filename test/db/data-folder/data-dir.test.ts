import { afterEach, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { findExposed, readOrCreateSecret, prepareDataDir, replaceFile } from '../../../src/db/data-folder/data-dir.ts'
import { newDataDir, testApp } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'

afterEach(closeAll)

function folder(): string {
  const path = newDataDir()
  closeLater(() => rmSync(path, { recursive: true, force: true }))
  return path
}
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('the folder is made for its owner only, with those above it', () => {
  const path = join(folder(), 'var', 'data')
  expect(prepareDataDir(path)).toBe(path)
  expect([modeOf(path), modeOf(join(path, '..'))]).toEqual(['700', '700'])
})

test('the folder and those that were made above it outlive a power failure: their names are synced', () => {
  const path = folder()
  const synced = (): string[] => {
    const paths: string[] = []
    prepareDataDir(join(path, 'var', 'lib', 'data'), (made) => void paths.push(relative(path, made)))
    return paths
  }
  expect(synced()).toEqual(['var/lib/data', 'var/lib', 'var'])
  expect(synced()).toEqual(['var/lib/data']) // a kill may have happened between the two
})

test('the folder above that may not be read or knows no sync stops no start; one whose disk fails does', () => {
  const path = folder()
  const failing = (code: string) => () => {
    throw Object.assign(new Error(`${code}: failed`), { code })
  }
  for (const code of ['EACCES', 'EINVAL']) expect(prepareDataDir(path, failing(code))).toBe(path)
  expect(() => prepareDataDir(path, failing('EIO'))).toThrow(`the data folder ${path} cannot be made: EIO`)
})

test('a folder that is there already stays as it is', () => {
  const path = join(folder(), 'data')
  mkdirSync(path, { mode: 0o750 })
  writeFileSync(join(path, 'mine'), 'text')
  prepareDataDir(path)
  expect([modeOf(path), readdirSync(path)]).toEqual(['750', ['mine']])
})

test('a relative path becomes absolute', () => {
  const path = join(folder(), 'data')
  const made = prepareDataDir(relative(process.cwd(), path))
  expect([isAbsolute(made), made]).toEqual([true, path])
})

test('a file in its place is named in the error', () => {
  const path = join(folder(), 'file')
  writeFileSync(path, '')
  expect(() => prepareDataDir(path)).toThrow(`the data folder ${path} cannot be made: EEXIST`)
  expect(() => prepareDataDir(join(path, 'data'))).toThrow(`the data folder ${path}/data cannot be made: ENOTDIR`)
})

test('a secret is made once, of 32 random bytes, for its owner only, and nothing lies beside it', () => {
  const path = folder()
  const secret = readOrCreateSecret(path, 'one.secret')
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(readOrCreateSecret(path, 'one.secret')).toBe(secret)
  expect(readFileSync(join(path, 'one.secret'), 'utf8')).toBe(`${secret}\n`)
  expect([modeOf(join(path, 'one.secret')), readdirSync(path)]).toEqual(['600', ['one.secret']])
  expect(readOrCreateSecret(path, 'two.secret')).not.toBe(secret)
})

test('a file that cannot be put in place leaves nothing beside it', () => {
  const path = folder()
  mkdirSync(join(path, 'backup.last'))
  expect(() => replaceFile(join(path, 'backup.last'), 'text')).toThrow('EISDIR')
  expect(readdirSync(path)).toEqual(['backup.last'])
})

test.each([
  ['empty', ''],
  ['cut short', 'ab'.repeat(31)],
  ['too long', 'ab'.repeat(33)],
  ['no hex', `${'ab'.repeat(31)}zz`],
])('a secret that is %s is refused and left alone', (_, damaged) => {
  const path = folder()
  writeFileSync(join(path, 'one.secret'), damaged)
  expect(() => readOrCreateSecret(path, 'one.secret')).toThrow(
    `${path}/one.secret does not hold 64 hex digits; restore it from a backup`,
  )
  expect(readFileSync(join(path, 'one.secret'), 'utf8')).toBe(damaged)
})

test('a start that was cut off while it wrote a secret does not hinder the next one', () => {
  const path = folder()
  writeFileSync(join(path, `one.secret.${process.pid}`), 'ab')
  expect(readOrCreateSecret(path, 'one.secret')).toMatch(/^[0-9a-f]{64}$/)
  expect(readdirSync(path)).toEqual(['one.secret'])
})

test.each([0o640, 0o604, 0o620, 0o777])('a secret with mode %o, which others may use, is refused', (mode) => {
  const path = folder()
  readOrCreateSecret(path, 'one.secret')
  chmodSync(join(path, 'one.secret'), mode)
  expect(() => readOrCreateSecret(path, 'one.secret')).toThrow(
    `${path}/one.secret must be readable by its owner only; it has mode 0${mode.toString(8)}: chmod 600 '${path}/one.secret'`,
  )
  chmodSync(join(path, 'one.secret'), 0o400)
  expect(readOrCreateSecret(path, 'one.secret')).toMatch(/^[0-9a-f]{64}$/)
})

test('a secret that is no file is named in the error, with what to do', () => {
  const path = folder()
  mkdirSync(join(path, 'one.secret'), { mode: 0o700 })
  expect(() => readOrCreateSecret(path, 'one.secret')).toThrow(
    `${path}/one.secret cannot be read: EISDIR: illegal operation on a directory, read; it must be a file that the user who runs nines can read: chmod 600 '${path}/one.secret', or restore it from a backup`,
  )
})

/** Output of another user than root who reads a secret. */
async function toldTo(uid: number, dataDir: string): Promise<string> {
  const source = join(import.meta.dir, '..', '..', '..', 'src', 'db', 'data-folder', 'data-dir.ts')
  const script = `import { readSecret } from ${JSON.stringify(source)}
    process.setuid(${uid})
    try { readSecret(process.argv.at(-1)) } catch (error) { console.log(error.message) }`
  const child = Bun.spawn([process.execPath, '-e', script, join(dataDir, 'seal.secret')], { stdout: 'pipe' })
  return (await child.stdout.text()).trim()
}

test.skipIf(process.geteuid?.() !== 0)('a secret that may not be read says who must own it, or its mode', async () => {
  // the folder of a test run is not readable by other users
  const path = mkdtempSync('/var/tmp/nines-secret-')
  closeLater(() => rmSync(path, { recursive: true, force: true }))
  const secret = join(path, 'seal.secret')
  chmodSync(path, 0o755)
  readOrCreateSecret(path, 'seal.secret')
  expect(await toldTo(4711, path)).toBe(
    `${secret} must belong to the user who runs nines; it belongs to uid 0: chown 4711 '${secret}'`,
  )
  chownSync(secret, 4711, 4711)
  chmodSync(secret, 0)
  expect(await toldTo(4711, path)).toBe(
    `${secret} cannot be read: EACCES: permission denied, open '${secret}'; it must be a file that the user who runs nines can read: chmod 600 '${secret}', or restore it from a backup`,
  )
})

test.skipIf(process.geteuid?.() !== 0)('a secret that belongs to another user is refused', () => {
  const path = folder()
  readOrCreateSecret(path, 'one.secret')
  chownSync(join(path, 'one.secret'), 4711, 4711)
  expect(() => readOrCreateSecret(path, 'one.secret')).toThrow(
    `${path}/one.secret must belong to the user who runs nines; it belongs to uid 4711: chown 0 '${path}/one.secret'`,
  )
})

test.each(['jwt.secret', 'seal.secret'])('an app whose %s others can read does not start', async (name) => {
  const dataDir = folder()
  await (await testApp({ dataDir })).app.close()
  chmodSync(join(dataDir, name), 0o644)
  await expect(testApp({ dataDir })).rejects.toThrow(`chmod 600 '${dataDir}/${name}'`)
  chmodSync(join(dataDir, name), 0o600)
  await (await testApp({ dataDir })).app.close()
})

test('a folder that others can enter is named in the log, with the files they can read there', async () => {
  const dataDir = folder()
  const exposed = (logged: string[]) => logged.filter((line) => line.includes('other users can get at'))
  const closed = await testApp({ dataDir })
  expect(exposed(closed.logged)).toEqual([])
  await closed.app.close()
  chmodSync(join(dataDir, 'samples.db'), 0o600)
  chmodSync(join(dataDir, 'nines.db'), 0o644)
  expect(findExposed(dataDir)).toEqual([])
  chmodSync(dataDir, 0o755)
  expect(findExposed(dataDir)).toEqual([
    { path: dataDir, mode: '0755', run: `chmod 700 '${dataDir}'` },
    { path: join(dataDir, 'nines.db'), mode: '0644', run: `chmod 600 '${dataDir}/nines.db'` },
  ])
  chmodSync(join(dataDir, 'nines.db'), 0o600)
  const open = await testApp({ dataDir })
  expect(exposed(open.logged)).toHaveLength(1)
  expect(exposed(open.logged)[0]).toContain(`chmod 700 '${dataDir}'`)
  await open.app.close()
})

test('an app keeps both of its secrets, and a damaged one stops it with nothing left locked', async () => {
  const dataDir = folder()
  const first = await testApp({ dataDir })
  await first.app.close()
  expect(['jwt.secret', 'seal.secret'].map((name) => modeOf(join(dataDir, name)))).toEqual(['600', '600'])
  const whole = readFileSync(join(dataDir, 'seal.secret'))
  writeFileSync(join(dataDir, 'seal.secret'), 'damaged')
  await expect(testApp({ dataDir })).rejects.toThrow('seal.secret does not hold 64 hex digits')
  writeFileSync(join(dataDir, 'seal.secret'), whole)
  const again = await testApp({ dataDir })
  await again.close()
})
