import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer } from './app.ts'
import { closeLater } from './closing.ts'

/** nines as a child process, in an empty folder and with no settings except the given ones. */
export type Launched = {
  /** Everything written to stderr so far. */
  log(): string
  /** Resolves once the log matches; throws if the process ends first. */
  said(pattern: RegExp): Promise<void>
  pid: number
  kill(signal: NodeJS.Signals): void
  /** The exit code; 128 + n after signal n that it did not handle. */
  exited: Promise<number>
}

/** A process that listens. `call` rejects if the connection breaks. */
export type Nines = Launched & {
  url: string
  call(method: string, path: string, body?: unknown, token?: string): Promise<Answer>
}

/**
 * `maxDescriptors`: limit of open file descriptors. `through`: a command that starts the program by exec, as in `sh -c 'exec
 * "$@"' sh`. `program`: the command, if not the usual one; `args`: its arguments.
 */
type Options = {
  dataDir: string
  env?: Record<string, string>
  maxDescriptors?: number
  through?: string[]
  program?: string[]
  args?: string[]
}

/** Limits off, registration open: a test sends more requests than a person. */
const usual = {
  PORT: '0',
  LOG_FORMAT: 'json',
  RATE_LIMIT_PER_IP: '0',
  INGEST_RATE_LIMIT: '0',
  RATE_LIMIT_GLOBAL: '0',
  REGISTRATION: 'open',
  SHUTDOWN_GRACE: '0',
  OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
}

/** `bun src/main.ts`, or the executable in NINES_BIN. */
const executable = process.env['NINES_BIN']
export const command = executable
  ? [executable]
  : [process.execPath, join(import.meta.dir, '..', '..', 'src', 'main.ts')]

/** Starts the program. It is killed after the test, in a file that has `afterEach(closeAll)`. */
export function launch({
  dataDir,
  env = {},
  maxDescriptors,
  through = [],
  program = command,
  args = [],
}: Options): Launched {
  const settings = { ...usual, DATA_DIR: dataDir, ...env }
  const limited = maxDescriptors === undefined ? [] : ['sh', '-c', `ulimit -n ${maxDescriptors}; exec "$@"`, 'sh']
  const child = Bun.spawn([...through, ...limited, ...program, ...args], {
    cwd: newFolder(),
    env: settings,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  closeLater(() => child.kill('SIGKILL'))
  let log = ''
  let ended = false
  const waiting: (() => void)[] = []
  const wake = () => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  const read = async () => {
    for await (const chunk of child.stderr) {
      log += Buffer.from(chunk).toString()
      wake()
    }
    ended = true
    wake()
  }
  const whole = read()

  return {
    log: () => log,
    async said(pattern) {
      while (!pattern.test(log)) {
        if (ended) throw new Error(`ended without saying ${pattern}: ${log}`)
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    pid: child.pid,
    kill: (signal) => child.kill(signal),
    exited: whole.then(() => child.exited),
  }
}

const startLine = /is listening on (https?:[^"\s]+)["\s]/

/** Starts the program and waits for its start line. */
export async function startNines(options: Options): Promise<Nines> {
  const launched = launch(options)
  await launched.said(startLine)
  const url = startLine.exec(launched.log())?.[1]
  if (!url) throw new Error(`no address in the start line: ${launched.log()}`)
  return {
    ...launched,
    url,
    async call(method, path, body, token) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
    },
  }
}

/** Creates an empty folder that is removed after the test. */
export function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'nines-process-'))
  closeLater(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Registers an account in a new organization and returns its access token. */
export async function register(nines: Nines, name: string): Promise<string> {
  const account = { email: `${name}@example.com`, name, password: 'correct horse', organization_name: `${name} Inc` }
  const { status, text, body } = await nines.call('POST', '/api/v1/auth/register', account)
  if (status !== 201) throw new Error(`not registered: ${text}`)
  return body.access_token
}
