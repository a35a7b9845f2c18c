import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../../config.ts'
import { codeOf } from '../../db/failures/constraints.ts'
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

/** Checks that the port is free, or that nines is what listens there. */
export async function checkPort(config: Config): Promise<Finding[]> {
  const { host, port } = config
  const address = `${host}:${port}`
  try {
    const server = createServer().listen({ host, port, exclusive: true })
    await once(server, 'listening')
    server.close()
    return [ok('port', `${address} is free; no server runs there`)]
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EADDRINUSE') return ofListener(config, address)
    return [failure('port', `cannot listen on ${address}: ${messageOf(error)}`, adviceOf(code))]
  }
}

async function ofListener(config: Config, address: string): Promise<Finding[]> {
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

const goodDescriptors = 1024

/** Checks the limit of open files of this process; that of the server may be another. */
export function checkDescriptors(max = maxDescriptors()): Finding[] {
  if (max === undefined) return [ok('descriptors', 'their limit is not known on this system')]
  const message = `${max} files may be open`
  if (max >= goodDescriptors) return [ok('descriptors', message)]
  const advice = 'raise the limit: LimitNOFILE=16384 in the unit, ulimit -n 16384 in a shell'
  return [warning('descriptors', `${message}, too few for many connections`, advice)]
}
