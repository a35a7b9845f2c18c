import { expect, test } from 'bun:test'
import { createBatchingClient } from '../../src/realtime/socket.ts'

/** A transport and its writes; each entry is one write. */
function world() {
  const written: string[] = []
  let corked: string[] | null = null
  const client = createBatchingClient({
    send: (text) => void (corked ?? written).push(text),
    close: (code, reason) => void written.push(`${code} ${reason}`),
    cork(send) {
      corked = []
      send()
      written.push(corked.join(' '))
      corked = null
    },
  })
  return { written, client }
}

test('what is said in one go leaves in its order and in one write, as soon as that is over', async () => {
  const { written, client } = world()
  for (const text of ['a', 'b', 'c']) client.send(text)
  expect(written).toEqual([])
  await Promise.resolve()
  expect(written).toEqual(['a b c'])
  client.send('d')
  await Promise.resolve()
  expect(written).toEqual(['a b c', 'd'])
})

test('what was said before a connection is closed leaves before that, and only once', async () => {
  const { written, client } = world()
  client.send('a')
  client.close(1001, 'Shutting down')
  expect(written).toEqual(['a', '1001 Shutting down'])
  await Promise.resolve()
  expect(written).toHaveLength(2)
})
