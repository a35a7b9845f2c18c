/** Answers every query with a matrix of the given megabytes; prints its address. */
const megabytes = Number(process.argv[2])
const values = Array.from({ length: 11_000 }, (_, at) => [1_700_000_000 + at * 60, `${(at * 0.123_456_7).toFixed(9)}`])
const series = (host: number) => JSON.stringify({ metric: { __name__: 'x', host: `h${host}` }, values })
const count = Math.ceil((megabytes * 1e6) / series(0).length)
const list = Array.from({ length: count }, (_, host) => series(host))
const body = `{"status":"success","data":{"resultType":"matrix","result":[${list.join(',')}]}}`
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response(body, { headers: { 'content-type': 'application/json' } }),
})
process.stdout.write(`http://127.0.0.1:${server.port}\n`)
