import type { FromLiveServer } from './nines.ts'

/** The floor under an answer: a bare Bun server that has so many bytes in memory. */
const bytes = new Uint8Array(Number(process.argv[2])).fill(32)
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response(bytes, { headers: { 'content-type': 'application/json' } }),
})
process.send?.({ url: `http://127.0.0.1:${server.port}`, token: '' } satisfies FromLiveServer)
