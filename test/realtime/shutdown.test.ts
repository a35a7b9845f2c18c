import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'
import { newFolder, register, startNines } from '../support/process.ts'
import { handshake, open, upgrade } from './live.ts'

afterEach(closeAll)

test('a shutdown closes every connection with a reason, and waits for no client that does not read', async () => {
  const nines = await startNines({ dataDir: newFolder(), env: { SHUTDOWN_TIMEOUT: '30' } })
  const headers = { authorization: `Bearer ${await register(nines, 'ada')}` }
  const client = await open(nines.url, { headers })
  const deaf = await handshake(nines.url, { ...upgrade, ...headers })
  const began = performance.now()
  nines.kill('SIGTERM')
  expect(await client.closed).toEqual({ code: 1001, reason: 'Shutting down' })
  expect(await nines.exited).toBe(0)
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(nines.log()).not.toContain('cut off')
  deaf.socket.destroy()
})
