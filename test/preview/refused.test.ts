import { describe, expect, test } from 'bun:test'
import { testApp } from '../support/app.ts'
import { dump } from '../support/populated.ts'
import { previewer, previewedSlo } from '../support/previewer.ts'
import { rulesOf } from '../support/rules-of.ts'

const it = previewer()

const refuses = (what: string) =>
  it.source.script((expression) => {
    if (expression.includes(what)) throw new Error('parse error: unexpected identifier')
    return 1
  })

describe('a query that the source refuses is wrong input', () => {
  test('with the message of the source, and where the query cannot be read', async () => {
    refuses('sum rate')
    const { status, body } = await it.preview({ metric_query: 'sum rate(x[5m])' })
    expect(status).toBe(400)
    expect(body).toEqual({
      success: false,
      problems: [{ field: 'metric_query', message: expect.any(String), code: 'query_refused', params: {} }],
      error: 'metrics source refused the query',
      details: expect.stringMatching(
        /^metric_query: parse error: unexpected identifier \(metric_query, character \d+: /,
      ),
    })
  })

  test('and where the source says itself, only with its message', async () => {
    it.source.script(() => {
      throw new Error('invalid parameter "query": 1:9: parse error: unclosed left parenthesis')
    })
    expect((await it.preview({ metric_query: 'sum(x[5m' })).body.details).toBe(
      'metric_query: invalid parameter "query": 1:9: parse error: unclosed left parenthesis',
    )
  })

  test.each(['good_query', 'bad_query'])('named by the field it came in: %s or total_query', async (field) => {
    const queries = { metric_query: null, [field]: 'sum(rate(first[5m]))', total_query: 'sum(rate(second[5m]))' }
    refuses('first')
    expect(rulesOf((await it.preview(queries)).body)).toBe(`${field}: parse error: unexpected identifier`)
    refuses('second')
    expect(rulesOf((await it.preview(queries)).body)).toBe('total_query: parse error: unexpected identifier')
  })
})

describe('refused before a source is queried:', () => {
  test.each([
    [{ target: 0 }, 'target: must '],
    [{ target: 100.1 }, 'target: must '],
    [{ time_window: '5m' }, 'time_window: must '],
    [
      { metric_query: null },
      'metric_query: is required, or total_query with good_query or bad_query, or composite, got null',
    ],
    [{ threshold: 0.3 }, 'threshold: must be given as threshold and threshold_op together'],
    [{ good_query: 'x' }, 'total_query: is required with good_query or bad_query'],
    [{ name: ' ' }, 'name: must '],
    [{ labels: [] }, 'labels: must '],
    [{ team_id: 99 }, 'team_id: must be a team of your organization'],
    [{ source_id: 99 }, 'source_id: must be a source of your organization'],
  ])('%j', async (change, details) => {
    const before = dump(it.nines)
    const { status, body } = await it.preview(change)
    expect([status, body.details]).toEqual([400, expect.stringContaining(details)])
    expect(it.source.asked).toEqual([])
    expect(dump(it.nines)).toEqual(before)
  })
})

test('a source that does not answer is 503, and so is none at all', async () => {
  it.source.close()
  expect(await it.preview()).toMatchObject({ status: 503, body: { error: 'metrics source did not answer' } })
  const nines = await testApp({ env: { SOURCE_URL: '' } })
  await nines.join('eve')
  const { status, body } = await nines.call('POST', '/api/v1/slos/preview', previewedSlo)
  expect([status, body.details]).toEqual([503, expect.stringContaining('no metrics source is set up')])
  await nines.close()
})
