/** Message to the readers: `clients` read an address, each one response after the other, for `seconds`. */
export type ToReaders = { url: string; token: string; clients: number; seconds: number }
export type FromReaders = { answers: number; bytes: number; msEach: number }

process.on('message', ({ url, token, clients, seconds }: ToReaders) => void read(url, token, clients, seconds))

async function read(url: string, token: string, clients: number, seconds: number): Promise<void> {
  const endMs = performance.now() + seconds * 1000
  const report: FromReaders = { answers: 0, bytes: 0, msEach: 0 }
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < endMs) {
        const beganMs = performance.now()
        const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
        const { byteLength } = await response.arrayBuffer()
        if (!response.ok) throw new Error(`${url}: ${response.status}`)
        report.answers += 1
        report.bytes = byteLength
        report.msEach += performance.now() - beganMs
      }
    }),
  )
  process.send?.({ ...report, msEach: report.msEach / report.answers } satisfies FromReaders)
}
