import { expect, test } from 'bun:test'
import { createResponseCache } from '../../src/http/response-cache.ts'

const world = (maxBytes?: number) => {
  let version = 1
  let nowMs = 1000
  let caller = { organizationId: 1, userId: 2, role: 'member' as 'member' | 'viewer' }
  const answers = createResponseCache({
    version: () => version,
    clock: { now: () => nowMs },
    tokens: { identifyCached: (authorization) => (authorization === 'good' ? caller : undefined) },
    ...(maxBytes !== undefined && { maxBytes }),
  })
  const request = (path: string) => new Request(`http://a${path}`, { headers: { authorization: 'good' } })
  const answer = (path: string, text: string, whileRead = () => {}) => {
    const asked = request(path)
    answers.keep({ request: asked, caller })
    whileRead()
    answers.store(asked, path, { text, tag: text })
    return asked
  }
  const find = (path: string) => answers.find(request(path))?.text
  return {
    answers,
    answer,
    find,
    commit: () => void (version += 1),
    at: (ms: number) => void (nowMs = ms),
    as: (other: Partial<typeof caller>) => void (caller = { ...caller, ...other }),
  }
}

test('what was committed while an answer was read ends it', () => {
  const { answer, find, commit } = world()
  answer('/a', 'before', commit)
  expect(find('/a')).toBeUndefined()
  answer('/a', 'after')
  expect(find('/a')).toBe('after')
})

test.each([
  ['organization', { organizationId: 9 }],
  ['user', { userId: 9 }],
  ['role', { role: 'viewer' }],
] as const)('an answer is kept for its %s alone', (_, other) => {
  const { answer, find, as } = world()
  answer('/a', 'mine')
  as(other)
  expect(find('/a')).toBeUndefined()
})

test('an answer is kept for its whole URL', () => {
  const { answer, find } = world()
  answer('/a?page=1', 'one')
  expect([find('/a?page=1'), find('/a?page=2'), find('/a')]).toEqual(['one', undefined, undefined])
})

test('an answer holds as long as its handler said', () => {
  const { answers, answer, find, at } = world()
  let holds = true
  const limited = () => {
    const asked = answer('/a', 'limited', () => {})
    answers.limit(asked, { untilMs: 2000, holds: () => holds })
    answers.store(asked, '/a', { text: 'limited', tag: '' })
  }
  limited()
  const found = [1000, 1999, 2000, 999, 1000].map((ms) => (at(ms), find('/a')))
  expect(found).toEqual(['limited', 'limited', undefined, undefined, 'limited'])
  holds = false
  expect(find('/a')).toBeUndefined()
})

test('what no route has opted in is not kept', () => {
  const { answers, find } = world()
  answers.store(new Request('http://a/a', { headers: { authorization: 'good' } }), '/a', { text: 'a', tag: 'a' })
  expect(find('/a')).toBeUndefined()
})

test('memory is bounded: the least used go first, and what is too large is not kept', () => {
  const { answer, find } = world(160_000)
  const text = 'x'.repeat(2000) // about 5 kB each
  for (let n = 0; n < 100; n += 1) answer(`/${n}`, text)
  const kept = Array.from({ length: 100 }, (_, n) => n).filter((n) => find(`/${n}`) !== undefined)
  expect(kept.length).toBeWithin(20, 32)
  expect(kept.at(0)).toBe(100 - kept.length)
  // the maximum is 10 kB, a sixteenth of the total
  answer('/large', 'x'.repeat(6000))
  expect(find('/large')).toBeUndefined()
  expect(find('/99')).toBe(text)
})
