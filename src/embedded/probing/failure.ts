import { AppError } from '../../errors.ts'
import { OutboundError, outboundError } from '../../http/outbound/error.ts'

/** A probe has found what it may not find. The sentence is for people. */
export class ProbeFailure extends Error {
  override name = 'ProbeFailure'
}

/** What to say of an error that a probe ended with; throws those that are no one's but our own. */
export function wordsOf(error: unknown): string {
  if (error instanceof ProbeFailure || error instanceof OutboundError) return error.message
  if (error instanceof AppError) return error.details ?? error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === '') throw error
  return sentences.find(([known]) => known.test(code))?.[1] ?? outboundError(error).message
}

const sentences: [RegExp, string][] = [
  [/^HPE_HEADER_OVERFLOW$/, 'the answer has too large headers'],
  [/^HPE_/, 'the answer is not HTTP'],
  [/^(Z|ERR_BROTLI)_/, 'the body is not compressed as it claims'],
  [/^ERR_(INVALID_CHAR|INVALID_HTTP_TOKEN|UNESCAPED_CHARACTERS)$/, 'the request has a header that HTTP does not allow'],
]
