import type { PartialSuccess } from './metric-writes.ts'

const maxMessage = 2000

/** Answer of OTLP, an `ExportMetricsServiceResponse`, in the format of the request. */
export function encodePartialSuccess(refused: PartialSuccess, isJson: boolean): Response {
  const message = refused?.message.slice(0, maxMessage) ?? ''
  if (isJson) {
    const partialSuccess = refused && { rejectedDataPoints: String(refused.rejectedPoints), errorMessage: message }
    return Response.json(refused ? { partialSuccess } : {})
  }
  const text = Buffer.from(message)
  const partial = Buffer.concat([
    Buffer.from([8, ...varint(refused?.rejectedPoints ?? 0), 18, ...varint(text.length)]),
    text,
  ])
  const body = refused ? Buffer.concat([Buffer.from([10, ...varint(partial.length)]), partial]) : null
  return new Response(body, { headers: { 'content-type': 'application/x-protobuf' } })
}

function varint(number: number): number[] {
  return number < 128 ? [number] : [(number % 128) + 128, ...varint(Math.floor(number / 128))]
}
