import { createHash, createHmac } from 'node:crypto'

export type BucketKeys = { accessKeyId: string; secretAccessKey: string; region: string }

type SignableRequest = {
  method: string
  url: URL
  /** Headers to sign in addition to those that `signRequest` adds; names in lower case. */
  headers?: Record<string, string>
  /** SHA-256 of the body, in hex. */
  bodyHash: string
}

/** SHA-256 of an empty body, in hex. */
export const emptyBodyHash = createHash('sha256').digest('hex')

/**
 * Headers of a request to S3 with its signature (AWS Signature Version 4). The path of `url` must be encoded as `encodeKey` does.
 * Rule: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function signRequest(
  { method, url, headers = {}, bodyHash }: SignableRequest,
  { accessKeyId, secretAccessKey, region }: BucketKeys,
  nowMs: number,
): Record<string, string> {
  const time = `${new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request']
  const added = { ...headers, 'x-amz-content-sha256': bodyHash, 'x-amz-date': time }
  const signed = Object.entries({ ...added, host: url.host }).toSorted(byName)
  const names = signed.map(([name]) => name).join(';')
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    bodyHash,
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const signature = hmac(key, toSign).toString('hex')
  const credential = `${accessKeyId}/${scope.join('/')}`
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** Encodes the key of an object for the path of a URL; each `/` stays. */
export function encodeKey(key: string): string {
  return key.split('/').map(encode).join('/')
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]): [string, string] => [encode(name), encode(value)])
    .toSorted(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** Encodes all but the unreserved characters of RFC 3986. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

function byName([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
