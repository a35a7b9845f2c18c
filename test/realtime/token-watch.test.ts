import { expect, test } from 'bun:test'
import { AppError } from '../../src/errors.ts'
import type { Identity } from '../../src/http/signed-in.ts'
import { createLog } from '../../src/log.ts'
import { createTokenWatch } from '../../src/realtime/token-watch.ts'

const person = {
  organizationId: 1,
  email: 'a@example.com',
  name: 'a',
  role: 'viewer',
  sessionId: 1,
  credential: { type: 'session', id: 1 },
} as const

/** Tokens with a lookup that returns what the test sets, and a record of the lookups. */
function world() {
  const tokens = new Map<string, { untilMs: number } | Error>()
  const lookedUp: string[] = []
  const ended: string[] = []
  const time = { nowMs: 1000 }
  let forgot: (fits: (identity: Identity) => boolean) => void = () => {}
  const tokenWatch = createTokenWatch({
    clock: { now: () => time.nowMs },
    log: createLog({ level: 'error', format: 'json', now: () => 0, write: () => {} }),
    isClosing: () => false,
    tokens: {
      async authenticate(authorization) {
        const token = authorization ?? ''
        lookedUp.push(token)
        const found = tokens.get(token) ?? new AppError('unauthenticated', 'Not signed in')
        if (found instanceof Error) throw found
        return { ...found, identity: { ...person, userId: Number(token) } }
      },
      onInvalidate: (listener) => (forgot = listener),
    },
  })
  const watch = (token: string) =>
    tokenWatch.watch(token, { ...person, userId: Number(token) }, (reason) => void ended.push(`${token} ${reason}`))
  const forget = async (userId: number) => {
    forgot((identity) => identity.userId === userId)
    await tokenWatch.drain()
  }
  return { tokens, lookedUp, ended, time, tokenWatch, watch, forget }
}

test('a token is looked at by the first sweep, and then when its time has come', async () => {
  const { tokens, lookedUp, ended, time, tokenWatch, watch } = world()
  tokens.set('1', { untilMs: 5000 })
  watch('1')
  for (const nowMs of [1000, 2000, 4999, 5000]) {
    time.nowMs = nowMs
    await tokenWatch.sweep()
  }
  expect([lookedUp, ended]).toEqual([['1', '1'], []])
})

test('one that had ended before it was watched ends at the first sweep, once', async () => {
  const { ended, tokenWatch, watch } = world()
  watch('1')
  await tokenWatch.sweep()
  await tokenWatch.sweep()
  expect(ended).toEqual(['1 Token expired'])
})

test('what is forgotten is looked at, nothing else is, and what is still good goes on', async () => {
  const { tokens, lookedUp, ended, watch, forget } = world()
  for (const token of ['1', '2', '3']) {
    tokens.set(token, { untilMs: 5000 })
    watch(token)
  }
  tokens.delete('2')
  await forget(2)
  await forget(3)
  expect([lookedUp, ended]).toEqual([['2', '3'], ['2 Signed out']])
})

test('a session that may do nothing before a second factor is set up ends', async () => {
  const { tokens, ended, watch, forget } = world()
  tokens.set('1', new AppError('forbidden', 'Set up a second factor first'))
  watch('1')
  await forget(1)
  expect(ended).toEqual(['1 Signed out'])
})

test('a lookup that fails ends nothing and is made again', async () => {
  const { tokens, ended, tokenWatch, watch } = world()
  tokens.set('1', new Error('the disk is busy'))
  watch('1')
  await tokenWatch.sweep()
  expect(ended).toEqual([])
  tokens.delete('1')
  await tokenWatch.sweep()
  expect(ended).toEqual(['1 Token expired'])
})

test('a watch that has ended is of no more interest', async () => {
  const { lookedUp, tokenWatch, watch, forget } = world()
  watch('1')()
  await tokenWatch.sweep()
  await forget(1)
  expect(lookedUp).toEqual([])
})
