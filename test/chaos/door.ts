import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Fault of an outside service; `well`: none. */
export type Fault = 'well' | 'hangs' | 'refuses' | 'answers garbage' | 'answers 500' | 'cuts answers off' | 'is slow'

/** An HTTP service on 127.0.0.1 with a permanent address that can be broken. */
export type BreakableService = { url: string; set(fault: Fault): void; close(): void }

type Asked = { path: string; headers: Record<string, string>; body: string }
/** Returns the body of the answer. */
type Answer = (asked: Asked) => string | Promise<string>

const slowMs = 20_000

export async function openDoor(answer: Answer): Promise<BreakableService> {
  let fault: Fault = 'well'
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const asked = { path: request.url ?? '', headers, body: await text(request) }
    if (fault === 'hangs') return
    if (fault === 'answers garbage') return void response.end('<html>It works!</html>')
    if (fault === 'answers 500') return void response.writeHead(500).end('no')
    if (fault === 'is slow') await Bun.sleep(slowMs)
    const body = await answer(asked)
    response.setHeader('Content-Type', body.startsWith('{') ? 'application/json' : 'text/plain')
    response.setHeader('Content-Length', Buffer.byteLength(body))
    if (fault !== 'cuts answers off') return void response.end(body)
    response.write(body.slice(0, body.length / 2), () => response.destroy())
  }
  const listen = (port: number) => server.listen(port, '127.0.0.1')
  await new Promise((resolve) => listen(0).once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const shut = () => {
    server.close()
    server.closeAllConnections()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    set(next) {
      if (fault === 'refuses' && next !== 'refuses') listen(port)
      else if (next === 'refuses') shut()
      else server.closeAllConnections() // ends requests that hang
      fault = next
    },
    close: shut,
  }
}
