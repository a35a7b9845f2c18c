import { expect, test } from 'bun:test'
import { readJson } from '../../../src/http/bodies/body.ts'
import { countEventLoopIterations } from '../../support/event-loop-iterations.ts'

const bounds = { limitBytes: 10_000_000, group: 1 }

function requestWith(text: string): Request {
  const headers = { 'content-type': 'application/json', 'content-length': `${text.length + 11}` }
  return new Request('http://localhost/', { method: 'POST', headers, body: JSON.stringify({ text }) })
}

test('long bodies that come together are parsed in several turns of the event loop; a short one is read meanwhile', async () => {
  const order: string[] = []
  using turns = countEventLoopIterations()
  const long = Array.from({ length: 12 }, async (_, at) => {
    const body = await readJson(requestWith('x"'.repeat(1_000_000)), bounds)
    expect(body).toEqual({ text: 'x"'.repeat(1_000_000) })
    order.push(`long ${at} in turn ${turns.count()}`)
  })
  const short = readJson(requestWith('x'), bounds).then(() => order.push('short'))
  await Promise.all([...long, short])
  expect(order[0]).toBe('short')
  const turnsOfLong = order.slice(1).map((text) => Number(text.split(' ').at(-1)))
  expect(new Set(turnsOfLong).size).toBeGreaterThan(1)
})

test('a long body that is none is refused as a short one is', async () => {
  for (const length of [10, 100_000]) {
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://localhost/', { method: 'POST', headers, body: `{${'x'.repeat(length)}` })
    await expect(readJson(request, bounds)).rejects.toThrow('Invalid request body')
  }
})
