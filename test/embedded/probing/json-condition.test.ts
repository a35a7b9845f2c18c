import { expect, test } from 'bun:test'
import { readJson, readJsonCondition } from '../../../src/embedded/probing/json-condition.ts'

const body = {
  status: 'DOWN',
  ready: true,
  none: null,
  queue: { depth: 120, 'in-flight': 3, 'odd "key"': 'x', items: [{ id: 'a' }, { id: 'b' }] },
  roles: ['db', 'web', 7],
  text: 'all systems go',
  wide: '😀'.repeat(60),
}

test.each([
  ['$.status == "DOWN"', null],
  ['$.status == "UP"', `the answer's $.status is "DOWN", not "UP"`],
  ['$.status != "DOWN"', `the answer's $.status is "DOWN"`],
  ['$.status != "UP"', null],
  ['$.ready == true', null],
  ['$.ready == "true"', `the answer's $.ready is true, not "true"`],
  ['$.none == null', null],
  ['$.queue.depth < 100', `the answer's $.queue.depth is 120, not below 100`],
  ['$.queue.depth<=120', null],
  ['$.queue.depth > 120', `the answer's $.queue.depth is 120, not above 120`],
  ['$.queue.depth >= 1.2e2', null],
  ['$.queue.depth >= 121', `the answer's $.queue.depth is 120, not at least 121`],
  ['$.queue.depth <= -1', `the answer's $.queue.depth is 120, not at most -1`],
  ['$.status < 5', `the answer's $.status is "DOWN", not below 5`],
  ['$.queue.in-flight == 3', null],
  [`$['queue']["odd \\"key\\""] == "x"`, null],
  ['$.queue.items[0].id == "a"', null],
  ['$.queue.items[-1].id == "a"', `the answer's $.queue.items[-1].id is "b", not "a"`],
  ['$.queue.items.length == 2', null],
  ['$.queue.items == 2', `the answer's $.queue.items is a list of 2, not 2`],
  ['$.queue == 2', `the answer's $.queue is an object, not 2`],
  ['$.roles contains "web"', null],
  ['$.roles contains 7', null],
  ['$.roles contains "mail"', `the answer's $.roles is a list of 3, without "mail"`],
  ['$.text contains "systems"', null],
  ['$.text contains "down"', `the answer's $.text is "all systems go", without "down"`],
  ['  $.wide == "x" ', `the answer's $.wide is "${'😀'.repeat(30)}…", not "x"`],
  ['$.missing != "x"', 'the answer has no $.missing'],
  ['$.status.length == 4', 'the answer has no $.status.length'],
  ['$.roles["0"] == "db"', 'the answer has no $.roles["0"]'],
  ['$.constructor != "x"', 'the answer has no $.constructor'],
  ['$.__proto__ != "x"', 'the answer has no $.__proto__'],
])('of one body, %s says %p', (condition, reason) => {
  expect(readJsonCondition(condition)?.(body)).toBe(reason)
})

test('the body itself may be what is compared', () => {
  expect(readJsonCondition('$ == "ok"')?.('ok')).toBeNull()
  expect(readJsonCondition('$[1] == 2')?.([1, 2])).toBeNull()
  expect(readJsonCondition('$.a == 1')?.(null)).toBe('the answer has no $.a')
})

test.each([
  '',
  '$',
  '$.status',
  '$.status == UP',
  `$.status == 'UP'`,
  '$.status = "UP"',
  '$.status === "UP"',
  'status == "UP"',
  '$..status == "UP"',
  '$.items[*].id == 1',
  '$.items[?(@.a)] == 1',
  '$.items["\\x"] == 1',
  '$.depth < "5"',
  '$.depth == [1]',
  '$.depth == {}',
  '$.depth containsx "5"',
  `$${'[0]'.repeat(200)} =`,
  `$["${'\\\\'.repeat(240)} == 1`,
])('%j is no condition', (text) => {
  expect(readJsonCondition(text)).toBeNull()
})

test.each(['', 'no', '{"a":', '['.repeat(500_000), `${'['.repeat(300_000)}${']'.repeat(300_000)}`])(
  'a body that is no JSON, or nested as nothing is, is read without an error',
  (text) => {
    const read = readJson(text)
    if (read !== undefined) expect(readJsonCondition('$ == 1')?.(read)).toStartWith('the answer')
  },
)
