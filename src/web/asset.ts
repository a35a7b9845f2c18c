import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { entityTag, namesTag } from '../http/headers/etag.ts'

const compress = promisify(gzip)

/**
 * Serves content that never changes while the process lives. It is read at the first request. Browsers keep it and revalidate
 * it each time, because another release has other content.
 */
export function asset(type: string, read: () => Promise<Uint8Array>): (request: Request) => Promise<Response> {
  let prepared: ReturnType<typeof prepare> | undefined
  return async ({ headers: sent }) => {
    const { whole, packed, tag } = await (prepared ??= prepare(read))
    const etag = `W/${tag}` // one tag for both encodings
    const headers = { 'content-type': type, 'cache-control': 'no-cache', etag, vary: 'accept-encoding' }
    const known = sent.get('if-none-match')
    if (known !== null && namesTag(known, tag)) return new Response(null, { status: 304, headers })
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0+)?\s*(?:,|$))/i.test(sent.get('accept-encoding') ?? '')
    return takesGzip
      ? new Response(packed, { headers: { ...headers, 'content-encoding': 'gzip' } })
      : new Response(whole, { headers })
  }
}

async function prepare(read: () => Promise<Uint8Array>) {
  const whole = Buffer.from(await read())
  return { whole, packed: await compress(whole), tag: entityTag(whole) }
}
