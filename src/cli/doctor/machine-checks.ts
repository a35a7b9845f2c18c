import { once } from 'node:events'
import { accessSync, constants, existsSync, lstatSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { expiryWords } from '../../certificate.ts'
import { assertBreachedPasswords } from '../../auth/passwords/breached-passwords.ts'
import type { Config } from '../../config.ts'
import { codeOf } from '../../db/failures/constraints.ts'
import { expiryProblem, readTlsPair, tlsFilesOf } from '../../http/connections/tls-pair.ts'
import { isListening } from '../../http/connections/unix-socket.ts'
import { socketPathOf } from '../../listen-settings.ts'
import { maxDescriptors } from '../../metrics/process.ts'
import { askReady } from '../healthcheck.ts'
import type { Settings } from '../settings/settings.ts'
import { failure, type Finding, messageOf, ok, warning } from './finding.ts'

/** Checks for variables of the environment that are no settings. Wrong values have been refused before. */
export function checkSettings({ unknown, file }: Settings): Finding[] {
  if (unknown.length > 0) {
    return unknown.map((sentence) => warning('settings', sentence, 'correct the name, or remove the variable'))
  }
  return [ok('settings', file === undefined ? 'all are valid' : `all are valid, those of ${file} too`)]
}

/** Checks that the port or socket is free, or that nines is what listens there; the port of redirects too. */
export async function checkPort(config: Config): Promise<Finding[]> {
  const path = socketPathOf(config.host)
  const found = await (path === null ? checkAddress(config) : checkSocket(config, path))
  const { httpRedirectPort: port } = config
  if (port === 0 || found.some(({ message }) => message.startsWith('nines listens'))) return found
  const redirects = await checkAddress({ ...config, port, tlsCert: null })
  return [...found, ...redirects.map((one) => ({ ...one, message: `HTTP_REDIRECT_PORT: ${one.message}` }))]
}

async function checkSocket(config: Config, path: string): Promise<Finding[]> {
  const folder = dirname(path)
  if (!existsSync(path)) {
    const canWrite = isWritable(folder)
    if (canWrite) return [ok('port', `no server listens on ${path}`)]
    return [failure('port', `cannot make ${path}: the folder cannot be written`, adviceForFolder(folder))]
  }
  if (!lstatSync(path).isSocket()) {
    return [failure('port', `${path} is no socket`, 'remove it, or set HOST to another path')]
  }
  if (await isListening(path)) return checkListener(config, path)
  return [ok('port', `no server listens on ${path}; a start replaces the socket`)]
}

const adviceForFolder = (folder: string) =>
  `make ${folder}, and let the user of nines write there: RuntimeDirectory=nines in the unit makes /run/nines`

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Checks certificate and key of this server; nothing without `TLS_CERT`. */
export function checkTls(config: Config, nowMs: number): Finding[] {
  const files = tlsFilesOf(config)
  if (files === null) return []
  try {
    const pair = readTlsPair(files)
    const problem = expiryProblem(pair, nowMs)
    if (problem === null) {
      return [ok('certificates', `TLS_CERT ${expiryWords(pair.expiresAt * 1000, nowMs)}`)]
    }
    const finding = pair.expiresAt * 1000 <= nowMs ? failure : warning
    return [finding('certificates', problem, 'renew it; a running nines takes it over within seconds')]
  } catch (error) {
    const advice = 'correct the files; a running nines serves the certificate from before'
    return [failure('certificates', messageOf(error), advice)]
  }
}

/** Checks the file of `BREACHED_PASSWORDS_FILE`; nothing without it. */
export function checkBreachedPasswords({ breachedPasswordsFile: path }: Config): Finding[] {
  if (path === null) return []
  try {
    assertBreachedPasswords(path)
    return [ok('passwords', `${path} has hashes of breached passwords`)]
  } catch (error) {
    return [failure('passwords', messageOf(error), 'download it again, or start without the setting')]
  }
}

async function checkAddress(config: Config): Promise<Finding[]> {
  const { host, port } = config
  const address = `${host}:${port}`
  try {
    const server = createServer().listen({ host, port, exclusive: true })
    await once(server, 'listening')
    server.close()
    return [ok('port', `${address} is free; no server runs there`)]
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EADDRINUSE') return checkListener(config, address)
    // A running server may have been given the right that this process lacks.
    if (code === 'EACCES' && (await askReady(config)).isNines) return checkListener(config, address)
    return [failure('port', `cannot listen on ${address}: ${messageOf(error)}`, adviceOf(code))]
  }
}

async function checkListener(config: Config, address: string): Promise<Finding[]> {
  const { ready, isNines, text } = await askReady(config)
  if (ready) return [ok('port', `nines listens on ${address}, and is ready`)]
  if (isNines) return [failure('port', text, 'see the log of the server')]
  return [failure('port', `something else listens on ${address} (${text})`, 'end it, or set PORT to another port')]
}

function adviceOf(code: unknown): string {
  if (code === 'EACCES') return 'set PORT to 1024 or more, or allow it: AmbientCapabilities=CAP_NET_BIND_SERVICE'
  if (code === 'EADDRNOTAVAIL') return 'set HOST to an address of this machine, or to 0.0.0.0'
  return 'set HOST to an address of this machine, and PORT to a free port'
}

const minDescriptors = 1024

/** Checks the limit of open files of this process. The limit of the server may differ. */
export function checkDescriptors(max = maxDescriptors()): Finding[] {
  if (max === undefined) return [ok('descriptors', 'their limit is not known on this system')]
  const message = `${max} files may be open`
  if (max >= minDescriptors) return [ok('descriptors', message)]
  const advice = 'raise the limit: LimitNOFILE=16384 in the unit, ulimit -n 16384 in a shell'
  return [warning('descriptors', `${message}, too few for many connections`, advice)]
}
