import { connect } from 'node:net'

/** Sends raw bytes and returns all that is received until the connection ends. */
export function talkTo(url: string, sent: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  const socket = connect(Number(port), hostname, () => socket.write(sent))
  socket.on('data', (chunk) => {
    said += chunk.toString()
  })
  socket.on('close', () => resolve(said))
  socket.on('error', reject)
  return promise
}
