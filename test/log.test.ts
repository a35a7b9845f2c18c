import { describe, expect, test } from 'bun:test'
import { AppError } from '../src/errors.ts'
import { createLog, type LogFormat, type LogLevel, logLevels } from '../src/log.ts'

function logTo({ level = 'debug', format = 'json' }: { level?: LogLevel; format?: LogFormat }) {
  const written: string[] = []
  const log = createLog({ level, format, now: () => 1_795_255_200_000, write: (line) => void written.push(line) })
  return { log, written }
}
const nothingOdd = /^[^\p{Cc}\p{Zl}\p{Zp}]*\n$/u

/** Text form of one log event with these fields. */
function textOf(fields: Record<string, unknown>): string {
  const { log, written } = logTo({ format: 'text' })
  log.info('said', fields)
  return written.join('').replace('2026-11-21T10:00:00.000Z INFO  said ', '')
}
function jsonOf(fields: Record<string, unknown>) {
  const { log, written } = logTo({ format: 'json' })
  log.info('said', fields)
  expect(written).toEqual([expect.stringMatching(nothingOdd)])
  return JSON.parse(written.join(''))
}

test.each([
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
] as const)('level %s lets %p through', (level, through) => {
  const { log, written } = logTo({ level })
  for (const each of logLevels) log[each]('said')
  expect(written.map((line) => JSON.parse(line).level)).toEqual([...through])
})

describe('json', () => {
  test('is one object a line: time, level, message, fields', () => {
    const { log, written } = logTo({})
    log.warn('slow', { seconds: 1.5, route: '/slos/:id', gone: undefined, nothing: null, list: [1] })
    expect(written).toEqual([
      '{"time":"2026-11-21T10:00:00.000Z","level":"warn","message":"slow","seconds":1.5,"route":"/slos/:id","nothing":null,"list":[1]}\n',
    ])
  })

  test('stays one line, and harmless to a terminal, whatever a field holds', () => {
    const nasty = 'a\r\nb\u2028c\u2029d\u0085e\u001b[31mf\u009b1mg\u0000'
    expect(jsonOf({ nasty }).nasty).toBe(nasty)
  })
})

describe('text', () => {
  test('is time, level, message and name=value pairs', () => {
    const { log, written } = logTo({ format: 'text' })
    log.error('failed', { job: 'prune-old-rows', tries: 2, gone: undefined })
    log.info('done')
    expect(written).toEqual([
      '2026-11-21T10:00:00.000Z ERROR failed job=prune-old-rows tries=2\n',
      '2026-11-21T10:00:00.000Z INFO  done\n',
    ])
  })

  test.each([
    ['plain', 'plain'],
    ['', '""'],
    ['two words', '"two words"'],
    ['a=b', '"a=b"'],
    ['say "hi"', '"say \\"hi\\""'],
    ['a\nb', '"a\\nb"'],
    ['\u001b[31m', '"\\u001b[31m"'],
    [true, 'true'],
    [null, 'null'],
    [['a', 1], '"[\\"a\\",1]"'],
  ])('a value %j is written %s', (value, written) => {
    expect(textOf({ value })).toBe(`value=${written}\n`)
  })

  test('stays harmless to a terminal, whatever a field holds', () => {
    expect(textOf({ value: '\u009b1m' })).toBe('value="\\u009b1m"\n')
    expect(textOf({ value: 'a\u2028b' })).toBe('value="a\\u2028b"\n')
  })

  test('is one line even where the message is not', () => {
    const { log, written } = logTo({ format: 'text' })
    log.info('one\ntwo')
    expect(written).toEqual(['2026-11-21T10:00:00.000Z INFO  one\\u000atwo\n'])
  })
})

describe('an error', () => {
  test('is written with its stack and all its causes', () => {
    const cause = new TypeError('no route', { cause: new Error('cable unplugged', { cause: 'the cat' }) })
    const { error } = jsonOf({ error: new Error('query failed', { cause }) })
    expect(error).toMatch(
      /^Error: query failed\n +at [^]*\ncaused by TypeError: no route\n +at [^]*\ncaused by Error: cable unplugged\n[^]*\ncaused by the cat$/,
    )
    expect(error).toContain('log.test.ts')
  })

  test('is one quoted value in text', () => {
    expect(textOf({ error: new Error('no "way"') })).toMatch(/^error="Error: no \\"way\\"\\n .*"\n$/)
  })

  test('that nines expects is written without a stack', () => {
    const cause = new Error('SQLITE_BUSY')
    const error = new AppError('unavailable', 'Database is locked', { cause, details: 'by another process' })
    expect(jsonOf({ error }).error).toBe('Database is locked: by another process')
  })

  test('that is its own cause comes to an end', () => {
    const error = new Error('round and round')
    error.cause = error
    expect(jsonOf({ error }).error.match(/caused by/g)).toHaveLength(10)
  })
})

test.each([
  ['a number beyond JSON', 2n ** 70n, '1180591620717411303424'],
  ['a function', () => 1, '() => 1'],
  ['a symbol', Symbol('x'), 'Symbol(x)'],
  ['a ring', ring(), '[object Object]'],
  ['a ring without a prototype', Object.assign(Object.create(null), { self: ring() }), '[object Object]'],
])('%s does not stop the log', (_, value, written) => {
  expect(jsonOf({ value }).value).toBe(written)
  expect(textOf({ value })).toStartWith('value=')
})

function ring(): object {
  const one: { self?: object } = {}
  one.self = one
  return one
}
