import { type FileHandle, open } from 'node:fs/promises'
import type { Clock } from '../../clock.ts'
import { createAbort, onAbort } from '../../concurrency/abort.ts'
import type { Config } from '../../config.ts'
import type { Outbound, OutboundAnswer } from '../../http/outbound/outbound.ts'
import { type BucketKeys, emptyBodyHash, encodeKey, signRequest } from './sign-request.ts'

/** Object of a bucket. `name`: without the prefix of `BACKUP_S3_URL`. */
export type StoredObject = { name: string; bytes: number }

/**
 * S3-compatible bucket that keeps copies of backups. Methods reject with `BucketError`, with the reason of an aborted `signal`, or
 * with the error of the local file.
 */
export type Bucket = {
  /** Lists the objects directly below the prefix, by name. */
  list(signal?: AbortSignal): Promise<StoredObject[]>
  /** Stores a file whole, or not at all. */
  put(name: string, file: string, signal?: AbortSignal): Promise<void>
  /** Writes an object into a new file of mode 600, synced to disk. */
  get(object: StoredObject, file: string, signal?: AbortSignal): Promise<void>
  remove(name: string, signal?: AbortSignal): Promise<void>
}

/**
 * The message continues “the server of BACKUP_S3_URL …”, without names and keys, because anybody may read it in `/ready`.
 * `details`: text of the server, for the log. `isTransient`: a retry may succeed.
 */
export class BucketError extends Error {
  readonly details: string | null
  readonly isTransient: boolean

  constructor(message: string, { details = null, isTransient }: { details?: string | null; isTransient: boolean }) {
    super(message)
    this.details = details
    this.isTransient = isTransient
  }
}

type Settings = Pick<Config, 'backupS3Url' | 'backupS3Region' | 'backupS3AccessKeyId' | 'backupS3SecretAccessKey'>

type Options = {
  outbound: Pick<Outbound, 'fetch'>
  clock: Clock
  partBytes?: number
  /** `large`: for a request with a body, or whose answer may be over a megabyte; `other`: for any other request. */
  timeoutsMs?: { large: number; other: number }
  /** Waits before the first, second, … retry of a request that may succeed later. */
  retryDelaysMs?: readonly number[]
}

type Request = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  name?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array<ArrayBuffer>
  maxBytes?: number
}

const megabyte = 1024 * 1024
const maxParts = 9000 // of the 10,000 that S3 takes

/** Opens the bucket of `BACKUP_S3_URL`; null: none is set. */
export function openBucket(settings: Settings, options: Options): Bucket | null {
  const { backupS3Url: url, backupS3AccessKeyId: accessKeyId, backupS3SecretAccessKey: secretAccessKey } = settings
  if (url === null || accessKeyId === null || secretAccessKey === null) return null
  return createBucket(new URL(url), { accessKeyId, secretAccessKey, region: settings.backupS3Region }, options)
}

function createBucket(base: URL, keys: BucketKeys, options: Options): Bucket {
  const { outbound, clock, partBytes = 8 * megabyte } = options
  const { timeoutsMs = { large: 300_000, other: 30_000 }, retryDelaysMs = [1000, 5000] } = options
  const [bucket = '', ...folders] = base.pathname.slice(1).split('/').map(decodeURIComponent)
  const prefix = folders.map((folder) => `${folder}/`).join('')

  async function attempt(request: Request, signal?: AbortSignal): Promise<OutboundAnswer> {
    const { method, name, query = {}, headers = {}, body, maxBytes = megabyte } = request
    const url = new URL(`/${encodeKey(name === undefined ? bucket : `${bucket}/${prefix}${name}`)}`, base)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    const bodyHash = body ? Buffer.from(await crypto.subtle.digest('SHA-256', body)).toString('hex') : emptyBodyHash
    const signed = signRequest({ method, url, headers, bodyHash }, keys, clock.now())
    const isLarge = body !== undefined || maxBytes > megabyte
    const timeoutMs = isLarge ? timeoutsMs.large : timeoutsMs.other
    const timeoutError = () =>
      new BucketError(`did not answer within ${timeoutMs / 1000} seconds`, { isTransient: true })
    using abort = createAbort(signal, timeoutMs, timeoutError)
    let answer: OutboundAnswer
    try {
      answer = await outbound.fetch(url.href, {
        method,
        headers: signed,
        ...(body && { body }),
        maxBytes,
        allowPrivate: true,
        signal: abort.signal,
      })
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof BucketError) throw error
      const problem = error instanceof Error ? error.message : String(error)
      throw new BucketError(`cannot be reached (${problem})`, { isTransient: true })
    }
    if (answer.isCut) throw new BucketError('sent more than it was asked for', { isTransient: false })
    if (answer.status < 200 || answer.status > 299 || isError(answer)) throw refusal(answer)
    return answer
  }

  async function send(request: Request, signal?: AbortSignal): Promise<OutboundAnswer> {
    for (const delayMs of retryDelaysMs) {
      try {
        return await attempt(request, signal)
      } catch (error) {
        if (!(error instanceof BucketError) || !error.isTransient) throw error
        await waitFor(delayMs, signal)
      }
    }
    return attempt(request, signal)
  }

  async function putParts(name: string, source: FileHandle, bytes: number, signal?: AbortSignal): Promise<void> {
    const created = await send({ method: 'POST', name, query: { uploads: '' } }, signal)
    const uploadId = textsOf(created, 'UploadId')[0]
    if (uploadId === undefined) throw new BucketError('does not take files in parts', { isTransient: false })
    try {
      const sizeOfPart = Math.max(partBytes, Math.ceil(bytes / maxParts))
      const etags: string[] = []
      for (let from = 0; from < bytes; from += sizeOfPart) {
        const body = await readPart(source, from, Math.min(sizeOfPart, bytes - from))
        const query = { partNumber: String(etags.length + 1), uploadId }
        etags.push((await send({ method: 'PUT', name, query, body }, signal)).headers.get('etag') ?? '')
      }
      const parts = etags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escape(tag)}</ETag></Part>`)
      const xml = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
      await send({ method: 'POST', name, query: { uploadId }, body: new TextEncoder().encode(xml) }, signal)
    } catch (error) {
      // stored parts cost money; if this request fails too, a lifecycle rule of the bucket has to delete them
      await attempt({ method: 'DELETE', name, query: { uploadId } }).catch(() => {})
      throw error
    }
  }

  return {
    async list(signal) {
      const found: StoredObject[] = []
      for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
        const query = { 'list-type': '2', prefix, ...(token !== undefined && { 'continuation-token': token }) }
        const answer = await send({ method: 'GET', query, maxBytes: 4 * megabyte }, signal)
        const [names, sizes] = [textsOf(answer, 'Key'), textsOf(answer, 'Size')]
        for (const [at, key] of names.entries()) {
          const name = key.slice(prefix.length)
          if (name !== '' && !name.includes('/')) found.push({ name, bytes: Number(sizes[at]) })
        }
        token = textsOf(answer, 'NextContinuationToken')[0]
      }
      return found
    },
    async put(name, file, signal) {
      const source = await open(file)
      try {
        const { size } = await source.stat()
        if (size > partBytes) return await putParts(name, source, size, signal)
        await send({ method: 'PUT', name, body: await readPart(source, 0, size) }, signal)
      } finally {
        await source.close()
      }
    },
    async get({ name, bytes }, file, signal) {
      const target = await open(file, 'wx', 0o600)
      try {
        for (let from = 0; from < bytes; from += partBytes) {
          const to = Math.min(from + partBytes, bytes) - 1
          const headers = { range: `bytes=${from}-${to}` }
          const { body } = await send({ method: 'GET', name, headers, maxBytes: to - from + 1 }, signal)
          if (body.length !== to - from + 1)
            throw new BucketError('sent less than it was asked for', { isTransient: false })
          await target.writeFile(body)
        }
        await target.sync()
      } finally {
        await target.close()
      }
    },
    async remove(name, signal) {
      await send({ method: 'DELETE', name }, signal)
    },
  }
}

async function readPart(source: FileHandle, from: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const part = new Uint8Array(length)
  for (let done = 0; done < length;) {
    const { bytesRead } = await source.read(part, done, length - done, from + done)
    if (bytesRead === 0) throw new Error('the file became shorter while it was read')
    done += bytesRead
  }
  return part
}

const advice: Record<string, string> = {
  SignatureDoesNotMatch: 'BACKUP_S3_SECRET_ACCESS_KEY or BACKUP_S3_REGION is wrong',
  InvalidAccessKeyId: 'BACKUP_S3_ACCESS_KEY_ID is wrong',
  AccessDenied: 'the key may not do that',
  NoSuchBucket: 'there is no such bucket',
  RequestTimeTooSkewed: 'the clocks differ',
}

function refusal(answer: OutboundAnswer): BucketError {
  const { status, headers } = answer
  const code = /^[A-Za-z]{1,60}$/.exec(textsOf(answer, 'Code')[0] ?? '')?.[0]
  const moved =
    status >= 300 && status < 400 ? 'it is elsewhere: BACKUP_S3_URL or BACKUP_S3_REGION is wrong' : undefined
  const clauses = [`HTTP ${status}`, code, (code === undefined ? undefined : advice[code]) ?? moved]
  return new BucketError(`refused a request (${clauses.filter((clause) => clause !== undefined).join(', ')})`, {
    details: textsOf(answer, 'Message')[0] ?? headers.get('location'),
    isTransient: status === 429 || status >= 500 || status < 300,
  })
}

/** True if the body is an error: S3 may answer 200 first and fail while it completes the request. */
function isError({ body }: OutboundAnswer): boolean {
  return /^(?:<\?xml[^>]*>)?\s*<Error>/.test(body.toString('utf8', 0, 200))
}

/** Texts of all elements of this name in an XML answer, in order. */
function textsOf({ body }: OutboundAnswer, element: string): string[] {
  const pattern = new RegExp(`<${element}>([^<]*)</${element}>`, 'g')
  return [...body.toString('utf8').matchAll(pattern)].map(([, text = '']) => unescape(text))
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescape(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
  })
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}

async function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  using _ = onAbort(signal, () => reject(signal?.reason))
  const timer = setTimeout(resolve, ms)
  try {
    await promise
  } finally {
    clearTimeout(timer)
  }
}
