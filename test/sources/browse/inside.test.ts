import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { testStartMs } from '../../support/app.ts'
import { closeAll } from '../../support/closing.ts'
import { asForm, pathOf, type SourceApi, sourceApi } from './source-api-world.ts'

let api: SourceApi
let theirs = 0
beforeAll(async () => {
  api = await sourceApi()
  const append = (organizationId: number, job: string) =>
    api.nines.app.samples.append(organizationId, Object.entries({ __name__: 'up', job }), testStartMs - 30_000, 1)
  append(1, 'shop')
  append(2, 'secret')
  const made = { name: 'mine', api_url: 'embedded' }
  theirs = (await api.nines.call('POST', '/api/v1/tsdb/sources', made, { token: api.mallory })).body.id
})
afterAll(closeAll)

const everything = [
  'query?query={__name__!=""}',
  'query?query={__name__!=""} or up{job="secret"}',
  'query_range?query={__name__!=""}&start=1795255100&end=1795255200&step=10',
  'series?match[]={__name__!=""}',
  'series?match[]={job="secret"}&match[]=up',
  'labels',
  'label/job/values',
  'label/__name__/values?match[]={job=~".*"}',
  'metadata',
  'rules',
  'status/buildinfo',
  'query?query=sum(',
  'labels?match[]=up{',
]

describe('the embedded source answers as below /embedded, of its own organization alone, to', () => {
  test.each(everything)('%s', async (asked) => {
    const { status, text } = await api.nines.call('GET', `/embedded/prometheus/api/v1/${asked}`)
    const own = await api.get(asked, { of: api.inside })
    expect([own.status, own.text]).toEqual([status, text])
    expect(own.text).not.toContain('"job":"secret"')
    expect(JSON.stringify(own.body.data ?? '')).not.toContain('secret')
    const [path = '', fields = ''] = asked.split('?')
    if (/^(?:query|query_range|series|labels)$/.test(path)) {
      const form = String(new URLSearchParams(fields))
      const posted = await api.nines.call('POST', pathOf(api.inside, path), form, { headers: asForm })
      expect([posted.status, posted.text]).toEqual([status, text])
    }
    const foreign = await api.get(asked, { of: theirs })
    expect([foreign.status, foreign.body]).toEqual([
      404,
      { success: false, error: 'Source not found', status: 'error', errorType: 'not_found' },
    ])
    const { text: seen } = await api.get(asked, { of: theirs, token: api.mallory })
    expect(seen).not.toContain('shop')
  })
})
