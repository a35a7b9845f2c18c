import { outboundError } from './outbound-error.ts'

/** The body of an answer as text, up to `limitBytes`; `isCut`: there was more. Throws `OutboundError` where it breaks. */
export async function readUpTo({ body }: Response, limitBytes: number): Promise<{ text: string; isCut: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size > limitBytes) break // leaving the loop cancels the body, which closes the connection
    }
  } catch (error) {
    throw outboundError(error)
  }
  return { text: Buffer.concat(chunks).subarray(0, limitBytes).toString('utf8'), isCut: size > limitBytes }
}
