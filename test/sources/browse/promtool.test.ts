import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testStartMs } from '../../support/app.ts'
import { closeLater } from '../../support/closing.ts'
import { describeOnNewer, newer } from '../../support/newer-components.ts'
import { sourceApi } from './source-api-world.ts'

describeOnNewer('promtool', () => {
  /** Runs `promtool query` against a source of nines, with a token in its configuration file. */
  const world = async () => {
    const api = await sourceApi()
    for (const [job, value] of [
      ['shop', 1],
      ['bank', 0],
    ] as const) {
      for (const minutes of [0, 1, 2]) {
        const labels = Object.entries({ __name__: 'up', job })
        api.nines.app.samples.append(1, labels, testStartMs - minutes * 60_000, value)
      }
    }
    const url = api.nines.listen()
    const token = await api.nines.call('POST', '/api/v1/auth/login', {
      email: 'ada@example.com',
      password: 'correct horse',
    })
    const folder = mkdtempSync(join(tmpdir(), 'nines-promtool-'))
    closeLater(async () => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'http.yml')
    writeFileSync(file, `authorization:\n  credentials: ${token.body.access_token}\n`)
    return async (of: 'inside' | 'outside', what: string, flags: string[], ...rest: string[]) => {
      const address = `${url}/api/v1/tsdb/sources/${api[of]}/prometheus`
      const command = [newer.promtool, 'query', what, `--http.config.file=${file}`, ...flags, address, ...rest]
      const { stdout, stderr, exited } = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
      const [out, said] = await Promise.all([new Response(stdout).text(), new Response(stderr).text()])
      return { code: await exited, out: out.trim().split('\n'), said: said.trim() }
    }
  }
  const at = String(testStartMs / 1000)

  test('asks for an instant, a range, series and labels of a source as of a Prometheus', async () => {
    const query = await world()
    expect(await query('inside', 'instant', [`--time=${at}`], 'sum by (job) (up)')).toMatchObject({
      code: 0,
      out: [`{job="bank"} => 0 @[${at}]`, `{job="shop"} => 1 @[${at}]`],
    })
    const times = [`--start=${Number(at) - 60}`, `--end=${at}`, '--step=60s']
    expect(await query('inside', 'range', times, 'sum(up)')).toMatchObject({
      code: 0,
      out: ['{} =>', `1 @[${Number(at) - 60}]`, `1 @[${at}]`],
    })
    expect(await query('inside', 'series', ['--match=up{job="shop"}', `--end=${at}`])).toMatchObject({
      code: 0,
      out: ['{__name__="up", job="shop"}'],
    })
    expect(await query('inside', 'labels', [], 'job')).toMatchObject({ code: 0, out: ['bank', 'shop'] })
  })

  test('reads an error as one of a Prometheus, and a source elsewhere as well', async () => {
    const query = await world()
    const refused = await query('inside', 'instant', [], 'sum((')
    expect(refused.code).toBe(1)
    expect(refused.said).toContain('bad_data: invalid parameter "query": parse error at character 6')
    expect(await query('outside', 'instant', [`--time=${at}`], 'up')).toMatchObject({
      code: 0,
      out: [`{} => 0.999 @[${at}]`],
    })
  })
})
