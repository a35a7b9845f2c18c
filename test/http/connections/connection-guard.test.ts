import { afterEach, expect, test } from 'bun:test'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAcceptGate } from '../../../src/http/connections/accept-gate.ts'
import { guardConnections } from '../../../src/http/connections/connection-guard.ts'
import { openSockets } from '../../../src/http/connections/native-sockets.ts'
import { createLog } from '../../../src/log.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { newFolder, startNines } from '../../support/process.ts'

afterEach(closeAll)

const onLinux = test.skipIf(process.platform !== 'linux')

/** Clients that send one byte and nothing more. Each reconnects when it is disconnected, until the test is over. */
function silentClients(port: number, count: number) {
  let isOver = false
  let timesEnded = 0
  const open = () => {
    if (isOver) return
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.1' }, () => socket.write('G'))
    socket.on('error', () => {})
    socket.on('close', () => {
      timesEnded += 1
      setTimeout(open, 5)
    })
    closeLater(() => void socket.destroy())
  }
  closeLater(() => {
    isOver = true
  })
  for (let at = 0; at < count; at += 1) open()
  return { timesEnded: () => timesEnded }
}

async function* linesOf(output: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let said = ''
  for await (const chunk of output) {
    said += Buffer.from(chunk).toString()
    const lines = said.split('\n')
    said = lines.pop() ?? ''
    yield* lines
  }
}

/** Status of a request from another loopback address. */
function askFrom(localAddress: string, port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', localAddress, path, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asked.on('error', reject)
    asked.end()
  })
}

function guarded(maxSilentMs: number) {
  const logged: string[] = []
  const log = createLog({ level: 'warn', format: 'json', now: () => 0, write: (line) => void logged.push(line) })
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('here') })
  const port = Number(server.port)
  const sockets = openSockets(port)
  if (!sockets) throw new Error('the listener was not found')
  const bounds = { maxConnections: 20, maxPerNetwork: 10, maxLive: 10 }
  const guard = guardConnections({
    sockets,
    gate: createAcceptGate(),
    bounds,
    maxDescriptors: 30,
    log,
    trustProxy: [],
    maxSilentMs,
  })
  closeLater(() => {
    guard.stop()
    void server.stop(true)
  })
  return { port, logged }
}

onLinux('connections beyond those of one network end, others are answered, and the log says so once', async () => {
  const { port, logged } = guarded(60_000)
  const { timesEnded } = silentClients(port, 60)
  while (timesEnded() < 60) await sleep(10)
  for (let again = 0; again < 5; again += 1) expect(await askFrom('127.0.0.2', port, '/')).toBe(200)
  expect(logged).toHaveLength(1)
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({ message: 'connections near the limit', max: 20 })
})

onLinux('who drips a request byte by byte is cut off after the time for a whole one', async () => {
  const { port } = guarded(200)
  const slow = connect({ port, host: '127.0.0.1' })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  slow.on('close', () => resolve())
  slow.on('error', () => {})
  const drip = setInterval(() => slow.write('a'), 20)
  await ended
  clearInterval(drip)
  expect(await askFrom('127.0.0.1', port, '/')).toBe(200)
})

onLinux('with 256 descriptors and 400 silent sockets from one address, others are served', async () => {
  const nines = await startNines({ dataDir: newFolder(), maxDescriptors: 256 })
  const port = Number(new URL(nines.url).port)
  // when run from source, its worker briefly opens many files
  await nines.said(/integrity check passed.*samples.db/)
  silentClients(port, 400)
  await nines.said(/connections near the limit/)
  for (let again = 0; again < 10; again += 1) expect(await askFrom('127.0.0.2', port, '/ready')).toBe(200)
  expect(nines.log()).not.toMatch(/EMFILE|ran out of file/)
})

onLinux(
  'a burst of more connections than descriptors, while a worker starts, leaves the worker its descriptors',
  async () => {
    const folder = newFolder()
    const script = [process.execPath, join(import.meta.dir, 'burst-child.ts'), folder]
    const child = Bun.spawn(['sh', '-c', 'ulimit -n 128; exec "$@"', 'sh', ...script], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    closeLater(() => child.kill('SIGKILL'))
    const lines = linesOf(child.stdout)
    const port = Number((await lines.next()).value)
    const waiting = Array.from({ length: 400 }, () => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.on('error', () => {})
      closeLater(() => void socket.destroy())
      // connections that send nothing are not accepted yet
      return once(socket, 'connect').then(() => socket.write('G'))
    })
    await Promise.all(waiting)
    writeFileSync(join(folder, 'burst'), '')
    expect([(await lines.next()).value, await child.stderr.text(), await child.exited]).toEqual(['number', '', 0])
  },
)
