import type { Answer } from '../support/app.ts'
import { occupy } from './sockets.ts'
import { type Attack, expectStatus, type World } from './world.ts'

/** Sends text as the body without encoding it as JSON. */
async function send({ nines, attacker }: World, path: string, body: string, token = attacker): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const response = await fetch(`${nines.url}${path}`, { method: 'POST', headers, body })
  return { status: response.status, headers: response.headers, text: await response.text(), body: undefined }
}

/** Sends messages over a WebSocket, then waits for the answer to a ping or the end of the connection. */
async function tell({ nines, attacker }: World, messages: string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const headers = { authorization: `Bearer ${attacker}` }
  const socket = new WebSocket(`${nines.url.replace('http', 'ws')}/api/v1/ws/subscribe`, { headers })
  socket.addEventListener('close', () => resolve())
  socket.addEventListener('message', ({ data }) => {
    if (String(data).includes('"pong"')) resolve()
  })
  await new Promise((opened, failed) => {
    socket.addEventListener('open', opened)
    socket.addEventListener('error', failed)
  })
  for (const message of messages) socket.send(message)
  socket.send('{"type":"ping","data":{}}')
  await promise
  socket.close()
}

const nested = (characters: number) => '['.repeat(characters / 2) + ']'.repeat(characters / 2)
const nestedObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const wide = (characters: number) => `[${'[],'.repeat(characters / 3)}[]]`
const manyKeys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`

const openPaths = ['register', 'login', 'refresh', 'password-reset-request', 'password-reset-confirm']

const open = openPaths.flatMap((path): Attack[] => [
  {
    name: `a stranger posts a megabyte of nested arrays to /auth/${path}`,
    async run(world) {
      for (let at = 0; at < 10; at += 1)
        expectStatus(await send(world, `/api/v1/auth/${path}`, nested(1_000_000), ''), 400, 413, 429)
    },
  },
])

const shapes: Record<string, string> = {
  'nested arrays': nested(1_000_000),
  'nested objects': nestedObjects(60),
  'wide arrays': wide(1_000_000),
  'many keys': manyKeys(80_000),
  'a name of a million characters': JSON.stringify({ name: 'x'.repeat(1_000_000) }),
}
const bodies = Object.entries(shapes).map(([shape, body]): Attack => ({
  name: `bodies of ${shape} to routes that take objects`,
  async run(world) {
    for (const path of ['/slos', '/slos/preview', '/notifications/channels', '/embedded/probes', '/cache/warmup'])
      expectStatus(await send(world, `/api/v1${path}`, body), 400, 413)
  },
}))

const sockets: Attack[] = [
  {
    name: 'a WebSocket message of 32 kB of nested arrays',
    run: (world) => tell(world, [`{"type":"subscribe","data":${nested(32_000)}}`]),
  },
  {
    name: 'a hundred WebSocket messages of nested subscriptions',
    run: (world) =>
      tell(
        world,
        Array.from({ length: 100 }, () => `{"type":"subscribe","data":${nested(30_000)}}`),
      ),
  },
  {
    name: 'ten thousand unknown WebSocket messages',
    run: (world) =>
      tell(
        world,
        Array.from({ length: 10_000 }, () => '{"type":"attack","data":{}}'),
      ),
  },
  { name: 'a WebSocket message that is too large', run: (world) => tell(world, ['x'.repeat(100_000)]) },
]

/** Bodies of which the last part is never sent. */
const unfinished: Attack = {
  name: 'hundreds of bodies of a megabyte that never end',
  async run(world) {
    const head = [
      'POST /api/v1/slos HTTP/1.1',
      'Host: nines',
      `Authorization: Bearer ${world.attacker}`,
      'Content-Type: application/json',
      'Content-Length: 1000000',
    ]
    const sent = `${head.join('\r\n')}\r\n\r\n${' '.repeat(990_000)}`
    const held = await Promise.all([1, 2, 3, 4, 5, 6].map((end) => occupy(world, 100, sent, `127.0.2.${end}`)))
    await Bun.sleep(5000)
    for (const socket of held.flat()) socket.destroy()
  },
}

export const messages: Attack[] = [...open, ...bodies, ...sockets, unfinished]
