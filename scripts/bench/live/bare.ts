import type { FromLiveServer } from './nines.ts'

/** Baseline of a response: a bare Bun server that sends a number of bytes from memory. */
const bytes = new Uint8Array(Number(process.argv[2])).fill(32)
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response(bytes, { headers: { 'content-type': 'application/json' } }),
})
process.send?.({ url: `http://127.0.0.1:${server.port}`, token: '' } satisfies FromLiveServer)
