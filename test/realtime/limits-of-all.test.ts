import { afterEach, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../support/closing.ts'
import { newFolder, register, startNines } from '../support/process.ts'
import { handshake, open, upgrade } from './live.ts'

afterEach(closeAll)

test.skipIf(process.platform !== 'linux')(
  'of 128 descriptors 24 live connections take the most they may, whoever has them',
  async () => {
    const nines = await startNines({ dataDir: newFolder(), maxDescriptors: 128, env: { TRUST_PROXY: '127.0.0.1' } })
    const headers = { authorization: `Bearer ${await register(nines, 'ada')}` }
    for (let count = 0; count < 24; count += 1) {
      const client = await open(nines.url, { headers })
      closeLater(client.close)
    }
    const { status, head, body, socket } = await handshake(nines.url, { ...upgrade, ...headers })
    socket.destroy()
    expect([status, JSON.parse(body).error]).toEqual([503, 'nines has as many live connections as it can'])
    expect(head).toContain('retry-after: 10')
  },
)
