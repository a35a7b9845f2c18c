import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../support/closing.ts'
import { command } from '../support/process.ts'
import { startWriteReceiver, type WriteReceiver } from '../support/write-receiver.ts'
import { ago, importWorld } from './import-world.ts'

afterEach(closeAll)

let receiver: WriteReceiver
let world: ReturnType<typeof importWorld>
beforeEach(() => {
  receiver = startWriteReceiver()
  closeLater(receiver.close)
  world = importWorld()
})

function spawn(args: string[], env: Record<string, string> = {}) {
  const settings = { DATA_DIR: world.dataDir, REMOTE_WRITE_URL: `${receiver.url}/write`, ...env }
  const options = { cwd: world.folder, env: settings, stdout: 'pipe', stderr: 'pipe' } as const
  const child = Bun.spawn([...command, 'export-samples', ...args], options)
  closeLater(() => child.kill('SIGKILL'))
  return child
}

async function run(args: string[], env: Record<string, string> = {}) {
  const child = spawn(args, env)
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

const time = (seconds: number) => new Date(seconds * 1000).toISOString()
const startS = Math.floor(ago(300) / 3600) * 3600 // of an hour
const span = ['--from', time(startS), '--to', time(startS + 3 * 3600)]
const sample = (job: string, seconds: number) =>
  `{__name__="m",job="${job}",nines_organization="1"} ${(startS + seconds) * 1000} 1`

/** Imports a sample of each job at these seconds after `startS`. */
async function importPast(seconds: number[], jobs = ['a', 'b']): Promise<void> {
  await world.organizations('Ada')
  const lines = seconds.flatMap((at) => jobs.map((job) => `m{job="${job}"} 1 ${startS + at}`))
  const { code } = await world.run([world.file(['# TYPE m gauge', ...lines, '# EOF\n'].join('\n'))])
  expect(code).toBe(0)
}

describe('an export', () => {
  test('sends what is between two times, hour by hour, also while nines runs', async () => {
    await importPast([-1, 0, 3599, 3600, 10_799, 10_800])
    const nines = await world.nines()
    const { out, err, code } = await run(span)
    await nines.close()
    expect({ out, err, code }).toEqual({ out: `8 samples sent, up to ${time(startS + 10_800)}\n`, err: '', code: 0 })
    const hours = [[0, 3599], [3600], [10_799]]
    expect(receiver.accepted()).toEqual(
      hours.flatMap((seconds) => ['a', 'b'].flatMap((job) => seconds.map((at) => sample(job, at)))),
    )
  })

  test('sends the series that --match chooses, instead of those of the setting', async () => {
    await importPast([1], ['a', 'b', 'c'])
    const match = ['--match', 'm{job="b"}', '--match', '{job=~"c|d"}']
    expect((await run([...span, ...match], { REMOTE_WRITE_MATCH: 'm{job="a"}' })).code).toBe(0)
    expect(receiver.accepted()).toEqual([sample('b', 1), sample('c', 1)])
  })

  test('goes on where it was stopped', async () => {
    await importPast([1, 3601, 7201], ['a'])
    const absent = () => new Response('not now', { status: 503, headers: { 'retry-after': '3000' } })
    receiver.next(new Response(null, { status: 204 }), absent())
    const child = spawn(span)
    const reader = child.stderr.getReader()
    expect(Buffer.from((await reader.read()).value ?? '').toString()).toContain('HTTP 503: not now; trying again')
    child.kill('SIGTERM')
    expect(await child.exited).toBe(143)
    expect(await child.stdout.text()).toBe(`1 samples sent, up to ${time(startS + 3600)}\n`)
    const again = await run(span)
    expect(again).toMatchObject({ code: 0, out: `2 samples sent, up to ${time(startS + 10_800)}\n` })
    expect(receiver.accepted()).toEqual([sample('a', 1), sample('a', 3601), sample('a', 7201)])
  })

  test('that is another one begins at its beginning', async () => {
    await importPast([1, 3601], ['a'])
    receiver.next(new Response(null, { status: 204 }), new Response(null, { status: 503 }))
    const child = spawn(span)
    await child.stderr.getReader().read()
    child.kill('SIGKILL')
    await child.exited
    expect((await run([...span, '--match', 'm'])).out).toStartWith('2 samples sent')
  })

  test('goes on at the hour that a kill interrupted', async () => {
    await importPast([1, 3601, 7201], ['a'])
    receiver.next(new Response(null, { status: 204 }), new Response(null, { status: 503 }))
    const child = spawn(span)
    const reader = child.stderr.getReader()
    await reader.read()
    child.kill('SIGKILL')
    await child.exited
    const { out, err } = await run(span)
    expect(err).toContain(`going on at ${time(startS + 3600)}`)
    expect(out).toStartWith('2 samples sent')
    expect(receiver.accepted()).toEqual([sample('a', 1), sample('a', 3601), sample('a', 7201)])
    expect((await run(span)).out).toStartWith('3 samples sent') // it came to its end: this is another one
  })

  test('says how many samples the receiver refused, and fails', async () => {
    await importPast([1, 3601], ['a'])
    receiver.next(new Response('out of order', { status: 400 }))
    expect(await run(span)).toMatchObject({
      code: 1,
      out: `1 samples sent, 1 refused (HTTP 400: out of order), up to ${time(startS + 10_800)}\n`,
    })
  })
})

test.each<[string[], string]>([
  [[], '--from must be a date'],
  [['--from', '2026-11-01'], '--to must be a date'],
  [['--from', '2026-11-02', '--to', '2026-11-01'], '--from must be before --to, got "2026-11-02" and "2026-11-01"'],
  [['--from', 'yesterday', '--to', '2026-11-01'], '--from must be a date'],
  [['--since', '2026-11-01'], "Unknown option '--since'"],
])('the arguments %j are refused', async (args, problem) => {
  const { err, code } = await run(args)
  expect(code).toBe(2)
  expect(err).toStartWith(`nines: ${problem}`)
})

test('nothing is sent without a receiver, or with a wrong selector', async () => {
  expect((await run(span, { REMOTE_WRITE_URL: '' })).err).toContain('there is no receiver; set REMOTE_WRITE_URL')
  expect((await run([...span, '--match', 'sum(m)'])).err).toContain('must be selectors')
  expect((await run(span)).err).toContain('there is no samples.db')
})
