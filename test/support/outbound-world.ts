import { OutboundError } from '../../src/http/outbound/error.ts'
import { closeLater } from './closing.ts'

/** Starts a server that answers with the Host header and the path of the request. Closed after the test. */
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

/** Reason why an outbound request failed. Throws if it succeeded. */
export async function outboundFailure(asking: Promise<unknown>): Promise<{ failure: string; message: string }> {
  const error = await asking.then(
    () => new Error('it was sent'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof OutboundError)) throw error
  return { failure: error.failure, message: error.message }
}

/** A resolver that returns these addresses for every name. */
export const resolveTo = (...addresses: string[]) => ({ lookup: async () => addresses })
