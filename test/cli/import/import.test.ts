import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { lockDataDir } from '../../../src/db/data-folder/lock.ts'
import { closeAll } from '../../support/closing.ts'
import { checkout } from '../../support/slo-calls.ts'
import { ago, importWorld } from '../import-world.ts'

let world: ReturnType<typeof importWorld>
beforeEach(() => {
  world = importWorld()
})
afterEach(closeAll)

const two = () => `m 1 ${ago(2)}\nm 2 ${ago(1)}\n# EOF\n`
const advice = 'what has been imported stays, and it is safe to import the whole file again'

describe('a file', () => {
  test('is imported into the only organization, and the summary says what of it', async () => {
    await world.organizations('Acme')
    const [first, last] = [ago(2), ago(1)]
    const lines = [`m 1 ${first}`, `m 2 ${last}`, `m 3 ${ago(200_000)}`, `m 3 ${ago(-11)}`, `m 4 ${last}000`]
    const { out, err, code } = await world.run([world.file(`${lines.join('\n')}\n# EOF\n`)])
    expect([err, code]).toEqual(['', 0])
    const withoutNumbers = out.replace(/in [\d.]+ s \(\d+\/s\)/, 'in T').replace(/holds \d+(\.\d)? kB/, 'holds S kB')
    expect(withoutNumbers.split('\n')).toEqual([
      'imported 2 samples of 1 series into Acme in T',
      `from ${new Date(first * 1000).toISOString()} to ${new Date(last * 1000).toISOString()}`,
      'left out 1 sample older than 100 days (SAMPLES_RETENTION_DAYS)',
      'left out 2 samples more than 10 minutes in the future (timestamps are in seconds)',
      'samples.db holds S kB of at most 4.3 GB (SAMPLES_MAX_BYTES); above that, the oldest samples are deleted',
      '',
    ])
    expect(world.count('m')).toBe(2)
    lockDataDir(world.dataDir).release()
  })

  test('is refused by a data folder that has lost its samples.db', async () => {
    await world.organizations('Acme')
    rmSync(join(world.dataDir, 'samples.db'))
    const { out, err, code } = await world.run([world.file(two())])
    expect([out, code]).toEqual(['', 1])
    expect(err).toStartWith(`nines: ${join(world.dataDir, 'samples.db')}: missing or empty, and nines.db beside it`)
  })

  test('may be gzipped, or come on stdin', async () => {
    await world.organizations('Acme')
    const gzipped = await world.run([world.file(gzipSync(two()), 'past.om.gz')])
    expect([gzipped.code, world.count('m')]).toEqual([0, 2])
    const child = world.spawn(['-'])
    await child.stdin.write(two().replaceAll('m ', 'n '))
    await child.stdin.end()
    expect([await child.exited, world.count('n')]).toEqual([0, 2])
  })

  test.each([
    ['without its end', `m 1 ${ago(1)}\n`, 'line 2: expected "# EOF", found its end'],
    ['broken', `m 1 ${ago(1)}\nm one\n# EOF\n`, 'line 2: expected a space and a number, found " one"'],
    [
      'binary',
      Uint8Array.from({ length: 5000 }, (_, at) => (at * 37) % 251),
      'line 1: expected valid UTF-8, found other bytes',
    ],
    ['one long line', 'x'.repeat(10_000_000), 'must be at most 1048576 bytes in line 1'],
  ])('%s is refused with its line and exit code 1', async (_, content, reason) => {
    await world.organizations('Acme')
    const { err, code } = await world.run([world.file(content)])
    expect([err, code]).toEqual([`nines: past.om: ${reason}; ${advice}\n`, 1])
  })

  test.each([
    ['nothere.om', "ENOENT: no such file or directory, stat 'nothere.om'"],
    ['data', 'data is a directory'],
  ])('%s is none: %s', async (name, reason) => {
    await world.organizations('Acme')
    expect(await world.run([name])).toEqual({ out: '', err: `nines: ${reason}\n`, code: 1 })
  })

  test.each([
    ['not gzipped', two(), 'incorrect header check'],
    ['cut off', gzipSync(two()).subarray(0, 30), 'unexpected end of file'],
  ])('that ends in .gz and is %s is refused', async (_, content, reason) => {
    await world.organizations('Acme')
    const { err, code } = await world.run([world.file(content, 'past.om.gz')])
    expect([err, code]).toEqual([`nines: past.om.gz: ${reason}; ${advice}\n`, 1])
  })
})

describe('the organization', () => {
  test('is the one that is named', async () => {
    await world.organizations('Acme', 'Beta')
    const { code } = await world.run([world.file(two()), '--organization=Beta'])
    expect([code, world.count('m', 2), world.count('m', 1)]).toEqual([0, 2, 0])
  })

  test('has to be named where there are several', async () => {
    await world.organizations('Acme', 'Beta')
    const reason = 'say with --organization ID_OR_NAME which one of 1 (Acme), 2 (Beta)'
    expect(await world.run([world.file(two())])).toEqual({ out: '', err: `nines: ${reason}\n`, code: 1 })
    expect(world.count('m', 1) + world.count('m', 2)).toBe(0)
  })

  test('is yet to be registered', async () => {
    const never = `no nines has been started in ${world.dataDir} yet; start it and register first`
    expect(await world.run([world.file(two())])).toEqual({ out: '', err: `nines: ${never}\n`, code: 1 })
    expect(existsSync(world.dataDir)).toBe(false)
    await world.organizations()
    const none = 'there is no organization yet; start nines and register first'
    expect(await world.run([world.file(two())])).toEqual({ out: '', err: `nines: ${none}\n`, code: 1 })
  })
})

test.each([
  [[], 'import needs a FILE, or - for stdin'],
  [['a.om', 'b.om', 'c.om'], 'unknown argument "b.om c.om"'],
  [['--what', 'a.om'], "Unknown option '--what'"],
])('the arguments %j are exit code 2 and the usage', async (args, reason) => {
  const { out, err, code } = await world.run(args)
  expect([out, code]).toEqual(['', 2])
  expect(err).toStartWith(`nines: ${reason}\nusage: nines import FILE.om`)
  expect(readdirSync(world.folder)).toEqual([])
})

test('a data folder that a server runs on is left to it', async () => {
  await world.organizations('Acme')
  const lock = lockDataDir(world.dataDir)
  const { err, code } = await world.run([world.file(two())])
  lock.release()
  const reason = `the data folder ${world.dataDir} is in use by another nines; stop it for as long as the import takes`
  expect([err, code]).toEqual([`nines: ${reason}\n`, 1])
  expect(world.count('m')).toBe(0)
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends it after what has come, with exit code %p', async (signal, exitCode) => {
  await world.organizations('Acme')
  const child = world.spawn(['-'])
  const start = ago(10_000)
  await child.stdin.write(Array.from({ length: 250_000 }, (_, at) => `m ${at} ${start + at}\n`).join(''))
  const reader = child.stderr.getReader()
  const { value: progress } = await reader.read()
  expect(Buffer.from(progress ?? []).toString()).toMatch(/^2\d\d,\d{3} samples {2}[\d,]+\/s\n$/)
  child.kill(signal)
  const { value: last } = await reader.read()
  expect(Buffer.from(last ?? []).toString()).toBe(`nines: -: stopped; ${advice}\n`)
  const [, said = ''] = /^imported ([\d,]+) samples of 1 series/.exec(await child.stdout.text()) ?? []
  expect(await child.exited).toBe(exitCode)
  expect(world.count('m')).toBe(Number(said.replaceAll(',', '')))
  expect(world.count('m')).toBeGreaterThanOrEqual(200_000)
})

test('SLOs that had found nothing in the past are measured again', async () => {
  let nines = await world.nines()
  const token = await nines.join('ada')
  await nines.call('POST', '/api/v1/slos', { ...checkout, time_window: '24h' })
  await nines.app.backfills.run()
  const backfill = async () => (await nines.call('GET', '/api/v1/slos/1/backfill', undefined, { token })).body
  expect(await backfill()).toMatchObject({ status: 'done', slices: 0 })
  await nines.close()

  const minutes = Array.from({ length: 360 }, (_, at) => 360 - at)
  const lines = (name: string, each: number) => minutes.map((m) => `${name} ${(360 - m) * each} ${ago(m)}\n`)
  const { out, code } = await world.run([world.file([...lines('ok', 9), ...lines('all', 10), '# EOF\n'].join(''))])
  expect([code, out]).toEqual([0, expect.stringContaining('SLOs that are backfilled again once nines is started: 1')])

  nines = await world.nines()
  expect(await backfill()).toMatchObject({ status: 'waiting' })
  await nines.app.backfills.run()
  const { status, slices } = await backfill()
  expect([status, slices > 340]).toEqual(['done', true])
  const asked = { slo_id: 1, time_window: '24h', extend_time: new Date(ago(60) * 1000).toISOString() }
  const { body } = await nines.call('POST', '/api/v1/tsdb/calculate-slo', asked, { token })
  expect(body.current_value).toBeCloseTo(90, 6)
  await nines.close()
})
