import { truths } from '../../test/chaos/truth.ts'
import { closeLater } from '../../test/support/closing.ts'
import type { World } from '../../test/chaos/world.ts'
import type { Organization } from './organizations.ts'
import { type Numbers, tolerancePercent } from './reads.ts'

type Message = { type: string; data: { slo_id: number; current_value: number | null } }

const reconnectMs = 1000

/** Opens clients that subscribe to all SLOs of their organization, and reconnect when they are disconnected. */
export function openSockets(world: World, organizations: Organization[], each: number, numbers: Numbers) {
  let [heard, connected] = [0, 0]
  const over = new AbortController()
  closeLater(() => over.abort())
  const truthOf = new Map(
    organizations.flatMap(({ sloIds }) => truths.map(({ name, percent }) => [sloIds.get(name), { name, percent }])),
  )

  async function follow({ token, sloIds }: Organization): Promise<void> {
    while (!over.signal.aborted) {
      const url = world.nines()?.url.replace('http', 'ws')
      if (url !== undefined) await listen(new WebSocket(`${url}/api/v1/ws/subscribe`, authorized(token)), sloIds)
      await Bun.sleep(reconnectMs)
    }
  }

  function listen(socket: WebSocket, sloIds: Map<string, number>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    let isConnected = false
    socket.addEventListener('open', () => {
      isConnected = true
      connected += 1
      for (const slo_id of sloIds.values()) socket.send(JSON.stringify({ type: 'subscribe', data: { slo_id } }))
    })
    socket.addEventListener('message', (event) => hear(JSON.parse(String(event.data)) as Message))
    socket.addEventListener('close', () => {
      if (isConnected) connected -= 1
      resolve()
    })
    return promise
  }

  function hear({ type, data }: Message): void {
    if (type !== 'slo_update') return
    heard += 1
    const truth = truthOf.get(data.slo_id)
    if (!truth || data.current_value === null) return
    numbers.compared += 1
    if (Math.abs(data.current_value - truth.percent) > tolerancePercent)
      numbers.wrong.push(`${truth.name}: ${data.current_value} came over a socket, not ${truth.percent}`)
  }

  for (const organization of organizations) for (let at = 0; at < each; at += 1) void follow(organization)
  return { heard: () => heard, connected: () => connected }
}

// Bun extension: a browser cannot set headers.
function authorized(token: string) {
  return { headers: { authorization: `Bearer ${token}` } } as unknown as string[]
}
