import { cpuSeconds } from '../support/load.ts'

export type Receiver = { url: string; pid: number; headers: Record<string, string> }
export type Measured = { perSecond: number; cpuMicros: number }

/**
 * Sends the bodies of a round, which have so many samples. Each of the senders (`shards`) sends every so many-th body in turn, since
 * samples of a series are sent in order.
 */
export async function send(
  { url, pid, headers }: Receiver,
  bodies: readonly Uint8Array[],
  { shards, samples }: { shards: number; samples: number },
): Promise<Measured> {
  const [beganMs, cpuBefore] = [performance.now(), cpuSeconds(pid)]
  const sender = async (shard: number) => {
    for (const body of bodies.filter((_, batch) => batch % shards === shard)) {
      const answer = await fetch(url, { method: 'POST', headers, body })
      const text = await answer.text()
      if (!answer.ok || text !== '') throw new Error(`${answer.status} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: shards }, (_, shard) => sender(shard)))
  const seconds = (performance.now() - beganMs) / 1000
  return { perSecond: samples / seconds, cpuMicros: ((cpuSeconds(pid) - cpuBefore) * 1e6) / samples }
}

export const textOf = ({ perSecond, cpuMicros }: Measured) =>
  `${Math.round(perSecond)}/s, ${cpuMicros.toFixed(2)} µs CPU a sample`
