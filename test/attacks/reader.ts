// Reads like a normal user of another organization until its standard input ends, then prints how long each answer took. A
// separate process, so that the attack does not slow it down. Arguments: base address, path, access token.

const [url = '', path = '', token = ''] = process.argv.slice(2)
const tookMs: number[] = []
let failed = 0

async function read(): Promise<never> {
  for (;;) {
    for (const one of ['/health', path]) {
      const began = performance.now()
      try {
        const signal = AbortSignal.timeout(30_000)
        const answer = await fetch(`${url}${one}`, { headers: { authorization: `Bearer ${token}` }, signal })
        await answer.arrayBuffer()
        if (answer.status !== 200) failed += 1
      } catch {
        failed += 1
      }
      tookMs.push(performance.now() - began)
    }
    await Bun.sleep(10)
  }
}

process.stdin.on('end', () => {
  process.stdout.write(JSON.stringify({ tookMs, failed }), () => process.exit(0))
})
process.stdin.resume()
void read()
