import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { currentVersion } from '../../src/db/migrations.ts'
import { lockDataDir } from '../../src/db/data-folder/lock.ts'
import { newDataDir } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { command } from '../support/process.ts'

type Env = Record<string, string>

/** Files in the data folder after a clean stop: the database without a log. */
const closed = ['jwt.secret', 'nines.db', 'nines.lock', 'samples.db', 'seal.secret']

/** Each process runs in a new folder, so that files written to the wrong place are found. */
let folder: string
let dataDir: string
beforeEach(() => {
  folder = newDataDir()
  dataDir = join(folder, 'data')
  closeLater(() => rmSync(folder, { recursive: true, force: true }))
})
afterEach(closeAll)

function spawn(args: string[], env: Env) {
  const child = Bun.spawn([...command, ...args], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
  closeLater(() => child.kill('SIGKILL'))
  return child
}

/** Runs `nines …` and waits for its end. */
async function nines(args: string[], env: Env = {}) {
  const child = spawn(args, env)
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

/**
 * Starts `nines` and waits for its start line. `until` waits for more of the log; `stop` returns the exit code and the whole
 * output.
 */
async function started(env: Env) {
  const child = spawn([], { DATA_DIR: dataDir, PORT: '0', ...env })
  const reader = child.stderr.getReader()
  let said = ''
  const readUntil = async (done: () => boolean) => {
    while (!done()) {
      const { value } = await reader.read()
      if (!value) return
      said += Buffer.from(value).toString()
    }
  }
  const address = /is listening on (http:\/\/127\.0\.0\.1:[1-9]\d*)\b/
  await readUntil(() => address.test(said))
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    await readUntil(() => false)
    return { code: await child.exited, said }
  }
  const until = (pattern: RegExp) => readUntil(() => pattern.test(said))
  return { url: address.exec(said)?.[1] ?? `no address in: ${said}`, until, stop }
}

describe('a command that prints', () => {
  test.each(['help', '--help', '-h'])('%s names every command', async (name) => {
    const { out, err, code } = await nines([name])
    expect([err, code]).toEqual(['', 0])
    expect(out.match(/^ {2}(serve|import|config|licenses|version|help) {2,}/gm)).toHaveLength(6)
  })

  test.each(['backup', 'restore', 'serve', 'import'])('%s --help prints its usage, and does nothing', async (name) => {
    const { out, err, code } = await nines([name, '--help'])
    expect([err, code]).toEqual(['', 0])
    expect(out).toStartWith(`usage: nines ${name} `)
    expect(await nines(['help', name])).toEqual({ out, err, code })
    expect(readdirSync(folder)).toEqual([])
  })

  test.each(['version', '--version', '-v'])('%s is that of package.json', async (name) => {
    expect(await nines([name])).toEqual({ out: `${version}\n`, err: '', code: 0 })
  })

  test('version --json names what is inside', async () => {
    const { out, code } = await nines(['version', '--json'])
    expect([JSON.parse(out), code]).toEqual([
      { version, bun: Bun.version, platform: process.platform, arch: process.arch, schema: currentVersion },
      0,
    ])
  })

  test('config says where each setting is from, and names those that nines does not know', async () => {
    writeFileSync(join(folder, 'nines.env'), 'PORT=82\nLOG_LEVEL=warn\n')
    const args = ['config', '--config', 'nines.env']
    const { out, err, code } = await nines(args, { PORT: '81', NINES_HOST: '::' })
    expect([err, code]).toEqual(['nines: NINES_HOST is no setting of nines; did you mean HOST?\n', 0])
    const start =
      '# set in the environment\nPORT=81\n\n# set in the file nines.env\nLOG_LEVEL=warn\n\n# defaults\nHOST='
    expect(out).toStartWith(start)
    const json = JSON.parse((await nines([...args, '--json'], { PORT: '81' })).out)
    expect(json.slice(0, 3)).toEqual([
      { name: 'HOST', value: '127.0.0.1', origin: 'default' },
      { name: 'PORT', value: '81', origin: 'environment' },
      { name: 'DATA_DIR', value: './data', origin: 'default' },
    ])
  })

  test.each([
    ['config', 'head -c 1'],
    ['config', 'true'],
    ['config --json', 'true'],
    ['help', 'head -c 1'],
    ['help serve', 'true'],
    ['version --json', 'true'],
  ])('%s ends quietly when its reader, %s, has seen enough', async (args, reader) => {
    expect(await piped(args, `| ${reader}`)).toEqual(['', 0])
  })

  test('a mistake has its exit code when nobody reads what it says', async () => {
    expect(await piped('config --jsn', '2>&1 | true')).toEqual(['', 2])
  })

  /** What a command with a pipe behind it says, and its exit code. */
  async function piped(args: string, pipe: string) {
    const script = `set -o pipefail; "$@" ${pipe}`
    const env = { PATH: process.env['PATH'] ?? '' }
    const child = Bun.spawn(['bash', '-c', script, 'bash', ...command, ...args.split(' ')], {
      env,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    return [await child.stderr.text(), await child.exited]
  }

  test('config prints the settings in effect, secrets masked, and touches nothing', async () => {
    const env = { PORT: '81', JWT_SECRET: 's3cret'.repeat(6), METRICS_TOKEN: 's3cret', LOG_LEVEL: ' warn ' }
    const { out, err, code } = await nines(['config'], env)
    expect([err, code]).toEqual(['', 0])
    const lines = out.split('\n')
    expect(lines).toContain('HOST=127.0.0.1')
    expect(lines).toContain('PORT=81')
    expect(lines).toContain('LOG_LEVEL=warn')
    expect(lines).toContain('LOG_FORMAT=json')
    expect(lines).toContain('JWT_SECRET=********')
    expect(lines).toContain('METRICS_TOKEN=********')
    expect(out).not.toContain('s3cret')
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a mistake in the command line', () => {
  test.each([
    [['bogus'], 'unknown command "bogus"'],
    [['bakup'], 'unknown command "bakup"; did you mean backup?'],
    [['config', '--yaml'], 'unknown argument "--yaml"'],
    [['config', '--config'], '--config takes a FILE'],
    [['help', 'bogus'], 'unknown command "bogus"'],
    [['constructor'], 'unknown command "constructor"'],
    [['__proto__'], 'unknown command "__proto__"'],
    [['--port=80'], 'unknown command "--port=80"'],
    [['serve', 'extra', 'words'], 'unknown argument "extra words"'],
    [['version', 'extra'], 'unknown argument "extra"'],
  ])('%j is exit code 2: a reason, the usage and where there is more', async (args, reason) => {
    const { out, err, code } = await nines(args)
    expect([out, code]).toEqual(['', 2])
    const [first, usage, more, ...others] = err.split('\n')
    expect([first, usage, more, others]).toEqual([
      `nines: ${reason}`,
      expect.stringMatching(/^usage: nines /),
      expect.stringMatching(/^more: nines .*docs\//),
      [''],
    ])
    expect(readdirSync(folder)).toEqual([])
  })
})

test.each(['serve', 'config'])(
  'an invalid setting stops %s with exit code 2, by name, before anything is made',
  async (name) => {
    expect(await nines([name], { SOURCE_TIMEOUT: 'soon' })).toEqual({
      out: '',
      err: 'nines: SOURCE_TIMEOUT: must be a whole number from 1 to 240, got "soon"\n',
      code: 2,
    })
    expect(readdirSync(folder)).toEqual([])
  },
)

describe('a start that fails', () => {
  test('because something else has the port says so with exit code 1, and nothing stays locked', async () => {
    const other = Bun.serve({ hostname: '127.0.0.1', port: 0, reusePort: true, fetch: () => new Response() })
    closeLater(() => void other.stop(true))
    const { out, err, code } = await nines([], { DATA_DIR: dataDir, PORT: String(other.port) })
    expect([out, code]).toEqual(['', 1])
    expect(err).toMatch(new RegExp(`^nines: cannot listen on 127\\.0\\.0\\.1:${other.port}: .*in use.*\n$`))
    expect(readdirSync(dataDir).toSorted()).toEqual(closed)
    lockDataDir(dataDir).release()
  })

  test('because another nines has the port', async () => {
    const first = await started({})
    const { port } = new URL(first.url)
    const { err, code } = await nines([], { DATA_DIR: join(folder, 'other'), PORT: port })
    expect([err, code]).toEqual([expect.stringContaining(`cannot listen on 127.0.0.1:${port}`), 1])
    expect((await first.stop()).code).toBe(0)
  })

  test('because the address is not one of this machine', async () => {
    const { err, code } = await nines([], { DATA_DIR: dataDir, HOST: '203.0.113.1' })
    expect([err, code]).toEqual([expect.stringContaining('nines: cannot listen on 203.0.113.1:8080: '), 1])
  })

  test('because another nines has the data folder', async () => {
    mkdirSync(dataDir)
    const lock = lockDataDir(dataDir)
    expect(await nines([], { DATA_DIR: dataDir, PORT: '0' })).toEqual({
      out: '',
      err: `nines: the data folder ${dataDir} is in use by another nines\n`,
      code: 1,
    })
    lock.release()
  })

  test('because there can be no data folder', async () => {
    writeFileSync(dataDir, '')
    const { err, code } = await nines([], { DATA_DIR: dataDir, PORT: '0' })
    expect([err.split('EEXIST')[0], code]).toEqual([`nines: the data folder ${dataDir} cannot be made: `, 1])
  })

  test('because nothing can be written into the data folder', async () => {
    mkdirSync(join(dataDir, 'nines.lock'), { recursive: true }) // permissions would not stop root
    const { err, code } = await nines([], { DATA_DIR: dataDir, PORT: '0' })
    expect([err.split('unable')[0], code]).toEqual([`nines: the data folder ${dataDir} cannot be written: `, 1])
  })
})

describe('the server', () => {
  test('names its free port in the start line, answers there, and ends with exit code 0', async () => {
    const { url, until, stop } = await started({})
    expect((await fetch(`${url}/health`)).status).toBe(200)
    await until(/no account yet/)
    const { code, said } = await stop()
    const lines = said
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([code, lines[0].message]).toEqual([0, `nines ${version} is listening on ${url}`])
    // runs concurrently and may end later
    const own = lines.filter(({ message }) => !message.startsWith('integrity check'))
    expect(own.slice(-2)).toMatchObject([{ message: 'stopping', signal: 'SIGTERM' }, { message: 'stopped' }])
    expect(readdirSync(folder)).toEqual(['data'])
    // clock.last is written after some seconds
    const files = readdirSync(dataDir).filter((name) => name !== 'clock.last')
    expect(files.toSorted()).toEqual([...closed, 'setup.secret'])
  })

  test('logs as text where it is set to, and stops at Ctrl-C too', async () => {
    const { url, stop } = await started({ LOG_FORMAT: 'text' })
    const { code, said } = await stop('SIGINT')
    const lines = said.split('\n')
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}nines /)
    expect(lines[0]).toEndWith(`is listening on ${url} data_dir=${dataDir}`)
    expect([code, said]).toEqual([0, expect.stringContaining(' INFO  stopping signal=SIGINT ')])
  })

  test('keeps what it writes from other users, even in a folder open to them', async () => {
    mkdirSync(dataDir, { mode: 0o755 })
    const { url, stop } = await started({})
    expect((await fetch(`${url}/ready`)).status).toBe(200)
    const modeOf = (name: string) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.mode ?? 0 // drafts go
    const open = readdirSync(dataDir).filter((name) => (modeOf(name) & 0o077) !== 0)
    expect([readdirSync(dataDir).includes('nines.db-wal'), open]).toEqual([true, []])
    await stop()
  })

  test('leaves the data folder free when it is killed', async () => {
    const { stop } = await started({})
    await stop('SIGKILL')
    const again = await started({})
    expect((await fetch(`${again.url}/ready`)).status).toBe(200)
    await again.stop()
  })
})
