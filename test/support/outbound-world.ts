import { OutboundError } from '../../src/http/outbound/error.ts'
import { closeLater } from './closing.ts'

/** A server on an address of this machine that answers with the Host header and the path it was asked for. */
export function echo(hostname = '127.0.0.1', headers: Record<string, string> = {}, status = 200) {
  const asked: string[] = []
  const server = Bun.serve({
    hostname,
    port: 0,
    fetch(request) {
      asked.push(request.url)
      const { pathname, search } = new URL(request.url)
      return new Response(`${request.headers.get('host')} ${pathname}${search}`, { status, headers })
    },
  })
  closeLater(() => void server.stop(true))
  return { port: server.port, asked }
}

/** Why an outbound request was not answered. */
export async function outboundFailure(asking: Promise<unknown>): Promise<{ failure: string; message: string }> {
  const error = await asking.then(
    () => new Error('it was sent'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof OutboundError)) throw error
  return { failure: error.failure, message: error.message }
}

/** A resolver that knows these addresses only. */
export const to = (...addresses: string[]) => ({ lookup: async () => addresses })
