import type { AppError, ErrorKind } from '../../../errors.ts'
import { isProtobuf } from './content-type.ts'
import type { PartialSuccess } from './metric-writes.ts'

const maxMessageCharacters = 2000

/** Answer of OTLP, an `ExportMetricsServiceResponse`, in the format of the request. */
export function encodePartialSuccess(refused: PartialSuccess, isJson: boolean): Response {
  const message = refused?.message.slice(0, maxMessageCharacters) ?? ''
  if (isJson) {
    const partialSuccess = refused && { rejectedDataPoints: String(refused.rejectedPoints), errorMessage: message }
    return Response.json(refused ? { partialSuccess } : {})
  }
  const partial = encodeNumberAndText(refused?.rejectedPoints ?? 0, message)
  const body = refused ? Buffer.concat([Buffer.from([10, ...varint(partial.length)]), partial]) : null // 10: tag of field 1
  return new Response(body, { headers: { 'content-type': 'application/x-protobuf' } })
}

/** gRPC codes by kind of error; for any other kind 13, an internal error. */
const codes: Partial<Record<ErrorKind, number>> = {
  invalid: 3,
  too_large: 3,
  unsupported_media_type: 3,
  too_slow: 4,
  forbidden: 7,
  rate_limited: 8,
  method_not_allowed: 12,
  unavailable: 14,
  unauthenticated: 16,
}

/** Error as a `google.rpc.Status`: in protobuf if the request is, otherwise as fields of the body in JSON. */
export function encodeStatus({ headers }: Request, { kind, message, details }: AppError) {
  const status = { code: codes[kind] ?? 13, message: details === undefined ? message : `${message}: ${details}` }
  return isProtobuf(headers) ? encodeNumberAndText(status.code, status.message) : status
}

/** A message in protobuf with a number as its field 1 (tag 8), and a text as its field 2 (tag 18). */
function encodeNumberAndText(number: number, text: string): Uint8Array {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([8, ...varint(number), 18, ...varint(bytes.length)]), bytes])
}

function varint(number: number): number[] {
  return number < 128 ? [number] : [(number % 128) + 128, ...varint(Math.floor(number / 128))]
}
