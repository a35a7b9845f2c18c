import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'

/**
 * Makes place for a socket: removes one that nobody listens on any more. Throws if another process listens there, or if something
 * else has the path.
 */
export async function clearSocketPath(path: string): Promise<void> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return
  if (!stat.isSocket()) throw new Error(`${path} is no socket; remove it, or set HOST to another path`)
  if (await isListening(path))
    throw new Error(`another process listens on ${path}; end it, or set HOST to another path`)
  rmSync(path, { force: true })
}

/** Sets who may connect, by the mode of the file. `mode`: octal digits. */
export function setSocketMode(path: string, mode: string): void {
  chmodSync(path, Number.parseInt(mode, 8))
}

/** True if a process listens on the socket, or if this is not known because this user may not connect. */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(!['ECONNREFUSED', 'ENOENT'].includes(error.code ?? '')),
    )
  })
}
