import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockDataDir } from '../../src/db/data-folder/lock.ts'
import { Database } from '../../src/db/sqlite.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { closedFolder } from '../support/closed-folder.ts'
import { makeCertificate } from '../support/make-certificate.ts'
import { noise } from '../support/damage.ts'
import { command, newFolder } from '../support/process.ts'

afterEach(closeAll)

/** A data folder with an account, of which each test breaks a copy. */
let good: string
beforeAll(async () => {
  good = mkdtempSync(join(tmpdir(), 'nines-good-'))
  cpSync(await closedFolder(), good, { recursive: true })
  await closeAll()
})
afterAll(() => rmSync(good, { recursive: true, force: true }))

/**
 * Breaks a set-up; returns variables and arguments for the start, beside those of a good one. `through`: a command that starts nines
 * by exec.
 */
type Break = (dataDir: string) => Broken | void
type Broken = { env?: Record<string, string>; args?: string[]; through?: string[] }

const zeros = `${'0'.repeat(64)}\n`
const inFolder =
  (name: string, change: (path: string) => void): Break =>
  (dataDir) =>
    change(join(dataDir, name))
const env =
  (variables: Record<string, string>): Break =>
  () => ({ env: variables })
const settingsFile =
  (text: string): Break =>
  () => {
    const file = join(newFolder(), 'nines.env')
    writeFileSync(file, text)
    return { args: ['serve', '--config', file] }
  }
const version = (name: string): Break =>
  inFolder(name, (path) => {
    const db = new Database(path)
    db.pragma('user_version = 99')
    db.close()
  })

/** A file system of its own, which only this start of nines sees; `mount`: commands with the data folder as $1. */
const mounted =
  (mount: string): Break =>
  (dataDir) => ({ through: ['unshare', '--mount', 'sh', '-c', `set -e; ${mount}; shift; exec "$@"`, 'sh', dataDir] })
const mayMount = Bun.spawnSync(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).exitCode === 0
if (!mayMount) process.stderr.write('Skipped, a read-only folder and a full disk: nobody may mount here\n')

/** Files of a certificate and its key; `ofAnother`: another key. */
function pairFiles({ isNone = false, ofAnother = false }): Broken {
  const folder = newFolder()
  const make = () => makeCertificate({ names: ['localhost'], fromMs: Date.now(), untilMs: Date.now() + 86_400_000 })
  const [one, another] = [make(), make()]
  const files = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') }
  writeFileSync(files.TLS_CERT, isNone ? 'a certificate' : one.cert)
  writeFileSync(files.TLS_KEY, ofAnother ? another.key : one.key)
  return { env: files }
}

type Setup = [name: string, code: number, said: string[], breakIt: Break]

const ofMounts: Setup[] = [
  [
    'a data folder that is read-only',
    1,
    ['cannot be written (EROFS)', 'mounted read-only'],
    mounted('mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"'),
  ],
  [
    'a disk that is full',
    1,
    ['disk is full', 'until space is freed'],
    mounted(
      'mount -t tmpfs tmpfs /mnt; cp -a "$1/." /mnt; mount -t tmpfs -o size=3m tmpfs "$1"; cp -a /mnt/. "$1"; cat /dev/zero > "$1/fill" 2> /dev/null || true',
    ),
  ],
]

/** Set-up, exit code, and parts of the one message: what is wrong, and what to do. */
const setups: Setup[] = [
  ['a wrong setting', 2, ['PORT: must be a whole number from 0 to 65535, got "http"'], env({ PORT: 'http' })],
  ['a short secret', 2, ['JWT_SECRET: must be at least 32 bytes'], env({ JWT_SECRET: 'hunter2' })],
  [
    'a secret file that is missing',
    2,
    ['JWT_SECRET_FILE', 'cannot be read (ENOENT)'],
    env({ JWT_SECRET_FILE: '/none' }),
  ],
  [
    'a file of authorities without one',
    2,
    ['EXTRA_CA_FILE: /dev/null: must have at least one certificate in PEM'],
    env({ EXTRA_CA_FILE: '/dev/null' }),
  ],
  [
    'a file of breached passwords that is none',
    2,
    ['BREACHED_PASSWORDS_FILE: /dev/null: is not a file'],
    env({ BREACHED_PASSWORDS_FILE: '/dev/null' }),
  ],
  ['two credentials', 2, ['only one of them may be set'], env({ METRICS_TOKEN: 'a', METRICS_TOKEN_FILE: '/b' })],
  ['no file of settings', 2, ['the file of --config, /none'], () => ({ args: ['serve', '--config', '/none'] })],
  ['a misspelled line', 2, ['line 2', 'did you mean REGISTRATION?'], settingsFile('PORT=0\nREGISTRATON=closed\n')],
  ['a line that is none', 2, ['line 1: must be NAME=value'], settingsFile('hunter2\n')],
  [
    'an unknown argument',
    2,
    ['unknown argument "--port=80"', 'usage: nines serve'],
    () => ({ args: ['serve', '--port=80'] }),
  ],
  ['an address of another machine', 1, ['cannot listen on 203.0.113.1'], env({ HOST: '203.0.113.1' })],
  ['a certificate without its key', 2, ['TLS_CERT and TLS_KEY: both must be set'], env({ TLS_CERT: '/none' })],
  [
    'a certificate that is missing',
    2,
    ['TLS_CERT: /none cannot be read (ENOENT)'],
    env({ TLS_CERT: '/none', TLS_KEY: '/none' }),
  ],
  [
    'a socket in a folder that is missing',
    1,
    ['cannot listen on /none/nines.sock'],
    env({ HOST: 'unix:/none/nines.sock' }),
  ],
  [
    'a port that is taken',
    1,
    ['cannot listen on 127.0.0.1:', 'in use'],
    () => {
      const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
      closeLater(() => void other.stop(true))
      return { env: { PORT: String(other.port) } }
    },
  ],
  [
    'a second instance',
    1,
    ['is in use by another nines'],
    (dataDir) => {
      const lock = lockDataDir(dataDir)
      closeLater(() => lock.release())
    },
  ],
  [
    'a data folder that is a file',
    1,
    ['cannot be made'],
    (dataDir) => ({ env: { DATA_DIR: join(dataDir, 'nines.db') } }),
  ],
  [
    'no nines.db',
    1,
    ['nines.db is missing', 'restore a backup', '--new'],
    inFolder('nines.db', (path) => rmSync(path)),
  ],
  [
    'an empty nines.db',
    1,
    ['nines.db is empty', 'restore a backup'],
    inFolder('nines.db', (path) => truncateSync(path, 0)),
  ],
  [
    'a nines.db that is none',
    1,
    ['nines.db: ', 'nines restore FILE'],
    inFolder('nines.db', (path) => writeFileSync(path, noise(50_000))),
  ],
  [
    'a nines.db that is cut off',
    1,
    ['nines.db: ', 'nines restore FILE'],
    inFolder('nines.db', (path) => truncateSync(path, 6000)),
  ],
  ['a nines.db from the future', 1, ['schema version 99', 'start the nines that wrote it'], version('nines.db')],
  [
    'a nines.db that was changed by something else',
    1,
    ['table teams', 'restore the last backup'],
    inFolder('nines.db', (path) => {
      const db = new Database(path)
      db.exec('alter table teams add column colour text')
      db.close()
    }),
  ],
  [
    'no samples.db',
    1,
    ['samples.db: missing or empty', '--new-samples'],
    inFolder('samples.db', (path) => rmSync(path)),
  ],
  [
    'a samples.db that is none',
    1,
    ['samples.db: ', 'nines restore FILE'],
    inFolder('samples.db', (path) => writeFileSync(path, noise(50_000))),
  ],
  ['a samples.db from the future', 1, ['samples.db: written by another nines'], version('samples.db')],
  [
    'no jwt.secret',
    1,
    ['jwt.secret is missing', 'restore it from a backup', 'rotate-secret jwt'],
    inFolder('jwt.secret', (path) => rmSync(path)),
  ],
  [
    'a jwt.secret that is cut off',
    1,
    ['does not hold 64 hex digits', 'backup'],
    inFolder('jwt.secret', (path) => truncateSync(path, 9)),
  ],
  [
    'a seal.secret that others can read',
    1,
    ['must be readable by its owner only', 'chmod 600'],
    inFolder('seal.secret', (path) => chmodSync(path, 0o644)),
  ],
  [
    'a seal.secret that is a folder',
    1,
    ['seal.secret'],
    inFolder('seal.secret', (path) => renameSync(newFolder(), (rmSync(path), path))),
  ],
  [
    'a seal.secret of an empty disk',
    1,
    ['does not hold 64 hex digits'],
    inFolder('seal.secret', (path) => writeFileSync(path, zeros.replaceAll('0', '\0'))),
  ],
  [
    'a backup that is none',
    1,
    ['is not a backup of nines', 'nothing has been restored'],
    (dataDir) => ({ args: ['restore', join(dataDir, 'nines.db')], env: { DATA_DIR: join(newFolder(), 'data') } }),
  ],
  [
    'a restore into a folder in use',
    1,
    ['must be empty', 'move it away, or set DATA_DIR'],
    (dataDir) => ({ args: ['restore', join(dataDir, 'nines.db')] }),
  ],
  [
    'a backup into the data folder',
    1,
    ['must not lie in the data folder'],
    (dataDir) => ({ args: ['backup', join(dataDir, 'x.tar')] }),
  ],
  ['a backup into no folder', 1, ['there is no folder /none'], () => ({ args: ['backup', '/none/x.tar'] })],
  [
    'a schedule that is none',
    2,
    ['BACKUP_SCHEDULE: must be a cron'],
    env({ BACKUP_SCHEDULE: 'daily', BACKUP_DIR: '/b' }),
  ],
  ['a schedule without a folder', 2, ['BACKUP_DIR: must be set'], env({ BACKUP_SCHEDULE: '15 2 * * *' })],
  [
    'a bucket without its key',
    2,
    ['BACKUP_S3_URL: ', 'BACKUP_S3_SECRET_ACCESS_KEY must be set'],
    env({ BACKUP_S3_URL: 'https://s3.example.org/b' }),
  ],
  ['a mail server that is none', 2, ['SMTP_URL: must be smtp://'], env({ SMTP_URL: 'mail:hunter2@example' })],
  ['a trusted header of anybody', 2, ['TRUST_PROXY must name the proxy'], env({ TRUSTED_HEADER_USER: 'Remote-User' })],
  [
    'a certificate that is none',
    2,
    ['TLS_CERT: ', 'must hold a certificate in PEM'],
    () => pairFiles({ isNone: true }),
  ],
  ['the key of another certificate', 2, ['TLS_KEY: ', 'is not the key of'], () => pairFiles({ ofAnother: true })],
  [
    'a host without an address',
    1,
    ['cannot listen on nines.invalid', 'HOST is a name without an address'],
    env({ HOST: 'nines.invalid' }),
  ],
  [
    'a file in the place of the socket',
    1,
    ['is no socket; remove it, or set HOST to another path'],
    () => {
      const file = join(newFolder(), 'nines.sock')
      writeFileSync(file, 'precious')
      return { env: { HOST: `unix:${file}` } }
    },
  ],
  [
    'a data folder on a disk that is not mounted',
    1,
    ['is a link to /none/disk, which does not exist', 'not mounted'],
    () => {
      const link = join(newFolder(), 'data')
      symlinkSync('/none/disk', link)
      return { env: { DATA_DIR: link } }
    },
  ],
  ...(mayMount ? ofMounts : []),
]

test.each(setups)(
  '%s ends a command with exit code %d and one message, and nothing is lost',
  async (_, code, said, breakIt) => {
    const dataDir = newFolder()
    cpSync(good, dataDir, { recursive: true })
    const broken = breakIt(dataDir) ?? {}
    const before = contentOf(dataDir)
    const child = Bun.spawn([...(broken.through ?? []), ...command, ...(broken.args ?? ['serve'])], {
      cwd: newFolder(),
      env: { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error', ...broken.env },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    closeLater(() => child.kill('SIGKILL'))
    const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect([out, exitCode]).toEqual(['', code])
    for (const part of said) expect(err).toContain(part)
    const [first, ...others] = err.trimEnd().split('\n')
    expect(first).toStartWith('nines: ')
    expect(others.filter((line) => !/^(?:usage|more): /.test(line))).toEqual([])
    expect(err).not.toContain('hunter2')
    expect(contentOf(dataDir)).toEqual(before)
  },
)

/** Secrets of a data folder, and the rows of its databases; the bytes of one that cannot be read. */
function contentOf(dataDir: string): Record<string, string> {
  const names = readdirSync(dataDir).filter((name) => /^(?:nines|samples)\.db$|\.secret$/.test(name))
  const files = names.filter((name) => statSync(join(dataDir, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, rowsOf(join(dataDir, name)) ?? hashOf(join(dataDir, name))]))
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

function rowsOf(path: string): string | undefined {
  if (!path.endsWith('.db') || statSync(path).size === 0) return undefined
  try {
    const db = new Database(path, { readonly: true })
    try {
      const tables = path.endsWith('nines.db') ? ['users', 'organizations'] : ['series', 'chunks', 'log']
      return JSON.stringify(tables.map((table) => db.prepare(`select * from ${table}`).all()))
    } finally {
      db.close()
    }
  } catch {
    return undefined
  }
}
