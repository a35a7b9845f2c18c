import { type FromServer, pace, type ToServer } from './pace.ts'
import { sloUpdate } from '../../../src/realtime/messages.ts'
import { socketSettings } from '../../../src/realtime/socket.ts'

/** Baseline of the fan-out benchmark: a bare Bun server with topics, without authentication. */
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: (request, server) => (server.upgrade(request, { data: undefined }) ? undefined : new Response('no')),
  websocket: {
    ...socketSettings,
    message(socket, said) {
      const { data } = JSON.parse(String(said)) as { data: { slo_id: number } }
      socket.subscribe(String(data.slo_id))
      socket.send(JSON.stringify({ type: 'subscription_confirmed', data }))
    },
  },
})

process.on('message', ({ load }: ToServer) => {
  const publish = (update: Parameters<typeof sloUpdate>[0]) => server.publish(String(update.sloId), sloUpdate(update))
  void pace(load, publish, () => server.pendingWebSockets)
})
const ready: FromServer = { url: `http://127.0.0.1:${server.port}`, tokens: [] }
process.send?.(ready)
