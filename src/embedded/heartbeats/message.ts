const maxMessageBytes = 10_000
const maxWaitMs = 10_000

/**
 * First 10 kB of a request's body as text; null without one. Bytes that are not UTF-8 are replaced. A body that does not arrive
 * within ten seconds is cut there: what matters is that the job has called.
 */
export async function readMessage(request: Request, limitBytes: number): Promise<string | null> {
  const { body } = request
  if (!body || request.method === 'GET' || request.method === 'HEAD') return null
  const reader = body.getReader()
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), maxWaitMs)
  const kept: Uint8Array[] = []
  let size = 0
  try {
    for (let part = await reader.read(); !part.done && size <= limitBytes; part = await reader.read()) {
      if (size < maxMessageBytes) kept.push(part.value.slice(0, maxMessageBytes - size))
      size += part.value.byteLength
    }
  } catch {
    // the connection ended within the body: what has come is kept
  } finally {
    clearTimeout(timer)
    void reader.cancel().catch(() => {})
  }
  const text = new TextDecoder().decode(Buffer.concat(kept)).replaceAll('\0', '\ufffd')
  return text === '' ? null : text
}
