import { expect, test } from 'bun:test'
import { createMailAllowance } from '../../src/app/mail-allowance.ts'
import { readConfig } from '../../src/config.ts'

const hourMs = 3_600_000
const asked = (organizationId: number | null = 1) => ({ organizationId, isUnsolicited: false })
const unasked = (organizationId: number | null = 1) => ({ organizationId, isUnsolicited: true })

function allowanceOf(env: Record<string, string> = {}) {
  let nowMs = 1_795_255_200_000
  const clock = { now: () => nowMs }
  const allowance = createMailAllowance({ config: readConfig(env), stopwatch: clock })
  return {
    ...allowance,
    advance: (ms: number) => void (nowMs += ms),
    /** Number of 100 mails that the allowance permits. */
    count: (purpose: ReturnType<typeof asked>, addressOf = (at: number) => `${at}@x.example`) =>
      Array.from({ length: 100 }, (_, at) => allowance.take(purpose, [addressOf(at)])).filter((held) => held === null)
        .length,
  }
}

test('an address gets so many mails an hour, from whichever organization, and evenly more as time passes', () => {
  const { count, take, advance } = allowanceOf({ MAIL_PER_ADDRESS_HOURLY: '10' })
  expect(count(asked(1), () => 'a@x.example')).toBe(10)
  expect(take(asked(2), ['A+tag@x.example'])).toEqual({
    reason: 'at most 10 mails an hour to A+tag@x.example',
    waitMs: hourMs / 10,
  })
  expect(take(asked(2), ['b@x.example'])).toBeNull()
  advance(hourMs / 10)
  expect(count(asked(2), () => 'a@x.example')).toBe(1)
})

test('an organization sends so many mails an hour, and each recipient is one', () => {
  const { take, count } = allowanceOf({ MAIL_PER_ORGANIZATION_HOURLY: '10' })
  const many = Array.from({ length: 7 }, (_, at) => `many${at}@x.example`)
  expect(take(asked(), many)).toBeNull()
  expect(take(asked(), many)).toEqual({
    reason: 'at most 10 mails an hour of an organization',
    waitMs: (4 * hourMs) / 10,
  })
  expect(count(asked())).toBe(3)
  expect(count(asked(2))).toBe(10)
})

test('more recipients at once than an hour allows are mailed once nothing else was for an hour', () => {
  const { take, advance } = allowanceOf({ MAIL_PER_ORGANIZATION_HOURLY: '3' })
  const many = Array.from({ length: 5 }, (_, at) => `${at}@x.example`)
  expect(take(asked(), many)).toBeNull()
  expect(take(asked(), many)).not.toBeNull()
  advance(2 * hourMs)
  expect(take(asked(), many)).toBeNull()
})

test('all organizations together send so many mails an hour', () => {
  const { count } = allowanceOf({ MAIL_HOURLY: '50' })
  expect([count(asked(1)), count(asked(2)), count(asked(null))]).toEqual([50, 0, 0])
})

test('unrequested mails are few, and use up nothing of the others of an address and an organization', () => {
  const { count } = allowanceOf({
    MAIL_PER_ADDRESS_HOURLY: '60',
    MAIL_PER_ORGANIZATION_HOURLY: '100',
    MAIL_HOURLY: '60',
  })
  expect(count(unasked(1), () => 'a@x.example')).toBe(6)
  expect(count(unasked(1))).toBe(4)
  expect(count(unasked(2))).toBe(10)
  expect([count(unasked(3)), count(unasked(4))]).toEqual([10, 0])
  expect(count(asked(1), () => 'a@x.example')).toBe(30)
})

test('0 is no limit', () => {
  const none = allowanceOf({ MAIL_PER_ADDRESS_HOURLY: '0', MAIL_PER_ORGANIZATION_HOURLY: '0', MAIL_HOURLY: '0' })
  expect(none.count(asked(), () => 'a@x.example')).toBe(100)
  expect(none.count(unasked(), () => 'a@x.example')).toBe(100)
})
