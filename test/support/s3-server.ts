import { createHash } from 'node:crypto'
import { signRequest } from '../../src/app/backups/sign-request.ts'
import { closeLater } from './closing.ts'

/** Misbehaviour of the store: it answers nothing, or refuses as S3 does. */
export type S3Fault = { kind: 'silent' } | { kind: 'refuse'; status: number; code: string; message?: string }

export const s3Keys = { accessKeyId: 'nines', secretAccessKey: 'a secret of the store', region: 'eu-test-1' }

/**
 * An S3-compatible store with one bucket, `backups`, that checks signatures and hashes. `fault`: how it answers a request, null:
 * as it should. `isCut`: whether the connection ends within a request. `requests`: methods and paths with their queries, in order.
 */
export function startS3() {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Map<number, Buffer>>()
  const requests: string[] = []
  const state = {
    fault: (_method: string, _path: string): S3Fault | null => null,
    isCut: (_method: string, _path: string) => false,
    pageSize: 1000,
  }

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    requests.push(`${request.method} ${url.pathname}${url.search}`)
    const fault = state.fault(request.method, `${url.pathname}${url.search}`)
    if (fault?.kind === 'silent') return new Promise(() => {})
    if (fault?.kind === 'refuse') return refuse(fault.status, fault.code, fault.message)
    const body = Buffer.from(await request.arrayBuffer())
    const problem = signatureProblem(request, url, body)
    if (problem !== null) return refuse(403, problem)
    const [, bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/')
    if (bucket !== 'backups') return refuse(404, 'NoSuchBucket')
    const key = rest.join('/')
    return key === '' ? list(url.searchParams) : ofObject(request, key, url.searchParams, body)
  }

  function list(query: URLSearchParams): Response {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
    const page = keys.slice(0, state.pageSize)
    const next = page.length < keys.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size></Contents>`)
    return xml(`<ListBucketResult>${contents.join('')}${next}</ListBucketResult>`)
  }

  function ofObject({ method, headers }: Request, key: string, query: URLSearchParams, body: Buffer): Response {
    const id = query.get('uploadId')
    if (method === 'POST' && query.has('uploads')) {
      uploads.set(`id&${key}`, new Map())
      return xml(`<InitiateMultipartUploadResult><UploadId>id&amp;${key}</UploadId></InitiateMultipartUploadResult>`)
    }
    const parts = id === null ? undefined : uploads.get(id)
    if (id !== null && !parts) return refuse(404, 'NoSuchUpload')
    if (method === 'PUT' && parts) {
      parts.set(Number(query.get('partNumber')), body)
      return new Response(null, { headers: { etag: `"${md5(body)}"` } })
    }
    if (id !== null) uploads.delete(id)
    if (method === 'POST' && parts) {
      const tags = [...body.toString().matchAll(/<ETag>&#34;(\w+)&#34;<\/ETag>/g)].map(([, tag]) => tag)
      const sorted = [...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part)
      if (!Bun.deepEquals(tags, sorted.map(md5))) return refuse(400, 'InvalidPart')
      objects.set(key, Buffer.concat(sorted))
      return xml('<CompleteMultipartUploadResult/>')
    }
    if (method === 'PUT') objects.set(key, body)
    if (method === 'DELETE' && !parts) objects.delete(key)
    if (method !== 'GET') return new Response(null, { status: method === 'DELETE' ? 204 : 200 })
    const found = objects.get(key)
    if (!found) return refuse(404, 'NoSuchKey')
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.get('range') ?? '') ?? []
    return new Response(new Uint8Array(found.subarray(Number(from), Number(to) + 1)), { status: 206 })
  }

  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, maxRequestBodySize: 1e9, idleTimeout: 0, fetch: answer })
  closeLater(() => void server.stop(true))
  const cutting = startCutting(
    () => server.port ?? 0,
    (method, path) => state.isCut(method, path),
  )
  return { url: `http://127.0.0.1:${cutting.port}/backups`, objects, uploads, requests, state }
}

/** Forwards connections, and cuts one in a request that is to be cut. */
function startCutting(port: () => number, isCut: (method: string, path: string) => boolean) {
  type Data = { up: ReturnType<typeof Bun.connect> }
  const server = Bun.listen<Data>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(client) {
        client.data = {
          up: Bun.connect({
            hostname: '127.0.0.1',
            port: port(),
            socket: { data: (_, bytes) => void client.write(bytes), close: () => void client.end() },
          }),
        }
      },
      async data(client, bytes) {
        const [, method = '', path = ''] = /^(\w+) (\S+) HTTP/.exec(bytes.toString('latin1', 0, 2000)) ?? []
        if (method !== '' && isCut(method, path)) {
          client.terminate()
          return
        }
        const copy = Buffer.from(bytes)
        const up = await client.data.up
        up.write(copy)
      },
      close: (client) => void client.data.up.then((up) => up.end()),
    },
  })
  closeLater(() => server.stop(true))
  return server
}

function signatureProblem(request: Request, url: URL, body: Buffer): string | null {
  const hash = createHash('sha256').update(body).digest('hex')
  if (request.headers.get('x-amz-content-sha256') !== hash) return 'XAmzContentSHA256Mismatch'
  const date = request.headers.get('x-amz-date') ?? ''
  const atMs = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
  const sent = request.headers.get('authorization') ?? ''
  if (!sent.includes(`Credential=${s3Keys.accessKeyId}/`)) return 'InvalidAccessKeyId'
  const range = request.headers.get('range')
  const headers = range === null ? {} : { range }
  const seen = new URL(url)
  seen.host = request.headers.get('host') ?? ''
  const expected = signRequest({ method: request.method, url: seen, headers, bodyHash: hash }, s3Keys, atMs)
  return expected['authorization'] === sent ? null : 'SignatureDoesNotMatch'
}

function refuse(status: number, code: string, message = 'No.'): Response {
  return xml(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`, status)
}

function xml(text: string, status = 200): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`, { status })
}

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex')
}
