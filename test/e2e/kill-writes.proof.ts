import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'
import { newFolder, type Nines, register, startNines } from '../support/process.ts'
import { writeBody, writeHeaders, type WrittenSeries } from '../support/remote-write.ts'

afterEach(closeAll)

const series = 200
const senders = 4

/** One request: a sample of each series of a sender, with the number of the request as its value. */
function requestOf(sender: number, number: number, atMs: number): WrittenSeries[] {
  return Array.from({ length: series }, (_, index) => ({
    labels: { __name__: 'written', sender: String(sender), series: String(index) },
    samples: [[atMs, number]],
  }))
}

/** Sends requests until one fails, and gives the number of those that were answered with 204. */
async function sendUntilKilled(nines: Nines, token: string, sender: number, onAnswer: () => void): Promise<number> {
  const beganMs = Date.now()
  for (let number = 1; ; number += 1) {
    const answer = await fetch(`${nines.url}/api/v1/write`, {
      method: 'POST',
      headers: { ...writeHeaders[1], authorization: `Bearer ${token}` },
      body: writeBody(1, requestOf(sender, number, beganMs + number)),
    }).catch(() => undefined)
    if (!answer) return number - 1
    expect(answer.status).toBe(204)
    onAnswer()
  }
}

test.each([1, 10, 60, 200])(
  'after a kill, every request that was answered with 204 is there (%p answers)',
  async (answers) => {
    const dataDir = newFolder()
    const env = { SOURCE_URL: 'embedded' }
    const nines = await startNines({ dataDir, env })
    const token = await register(nines, 'ada')
    let left = answers
    const onAnswer = () => {
      left -= 1
      if (left === 0) nines.kill('SIGKILL')
    }
    const sent = await Promise.all(
      Array.from({ length: senders }, (_, sender) => sendUntilKilled(nines, token, sender, onAnswer)),
    )
    await nines.exited
    const again = await startNines({ dataDir, env })
    const query = encodeURIComponent('written[1h]')
    const { body } = await again.call('GET', `/embedded/prometheus/api/v1/query?query=${query}`, undefined, token)
    const found: { metric: { sender: string }; values: [number, string][] }[] = body.data.result
    for (const [sender, count] of sent.entries()) {
      const ofSender = found.filter(({ metric }) => metric.sender === String(sender))
      expect(ofSender).toHaveLength(count > 0 ? series : ofSender.length)
      const expected = Array.from({ length: count }, (_, at) => String(at + 1))
      for (const { values } of ofSender) expect(values.map(([, value]) => value).slice(0, count)).toEqual(expected)
    }
  },
)
