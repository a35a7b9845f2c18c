import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'
import { attributes, metricsBody, metricsHeaders, metricsRequest, nanos } from '../support/otlp.ts'
import { newFolder, type Nines, register, startNines } from '../support/process.ts'
import { writeBody, writeHeaders, type WrittenSeries } from '../support/remote-write.ts'

afterEach(closeAll)

const series = 200
const senders = 4

type Way = {
  path: string
  status: number
  headers: Record<string, string>
  bodyOf: (sender: number, number: number, atMs: number) => Uint8Array
}

/** The same by OTLP, in deltas of one, so that the sum of all is the number of the request. */
function deltasOf(sender: number, _: number, atMs: number): Uint8Array {
  const time = { timeUnixNano: nanos(atMs), startTimeUnixNano: nanos(atMs - 1) }
  const dataPoints = Array.from({ length: series }, (__, index) => ({
    ...time,
    asInt: 1,
    attributes: attributes({ sender: String(sender), series: String(index) }),
  }))
  const sum = { aggregationTemporality: 1, isMonotonic: false, dataPoints }
  return metricsBody(metricsRequest([{ name: 'written', sum }], {}), 'protobuf')
}

/** One request: a sample of each series of a sender, with the number of the request as its value. */
function requestOf(sender: number, number: number, atMs: number): WrittenSeries[] {
  return Array.from({ length: series }, (_, index) => ({
    labels: { __name__: 'written', sender: String(sender), series: String(index) },
    samples: [[atMs, number]],
  }))
}

/** Sends requests until one fails, and gives the number of those that were answered with success. */
async function sendUntilKilled(
  { path, status, headers, bodyOf }: Way,
  nines: Nines,
  token: string,
  sender: number,
  onAnswer: () => void,
): Promise<number> {
  const beganMs = Date.now()
  for (let number = 1; ; number += 1) {
    const answer = await fetch(nines.url + path, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}` },
      body: bodyOf(sender, number, beganMs + number),
    }).catch(() => undefined)
    if (!answer) return number - 1
    expect(answer.status).toBe(status)
    onAnswer()
  }
}

const ways: Record<string, Way> = {
  'remote write': {
    path: '/api/v1/write',
    status: 204,
    headers: writeHeaders[1],
    bodyOf: (...of) => writeBody(1, requestOf(...of)),
  },
  'OTLP in deltas': { path: '/v1/metrics', status: 200, headers: metricsHeaders.protobuf, bodyOf: deltasOf },
}

test.each(Object.keys(ways).flatMap((way) => [1, 10, 60, 200].map((answers) => [way, answers] as const)))(
  'after a kill, every request of %s that was answered with success is there (%p answers)',
  async (way, answers) => {
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
      Array.from({ length: senders }, (_, sender) => sendUntilKilled(ways[way] as Way, nines, token, sender, onAnswer)),
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
      for (const { values } of ofSender) {
        const written = values.map(([, value]) => value).filter((value) => value !== '0') // where deltas begin
        expect(written.slice(0, count)).toEqual(expected)
      }
    }
  },
)
