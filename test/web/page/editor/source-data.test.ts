import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type * as SourceData from '../../../../src/web/page/editor/source-data.ts'
import { fakeBrowser, pass } from '../api/fake-browser.ts'

describe('data of a source that the editor reads', () => {
  let browser: ReturnType<typeof fakeBrowser>
  let data: typeof SourceData // loaded once the browser globals exist
  let sourceId = 0
  let asked = 0

  beforeAll(async () => {
    browser = fakeBrowser((path) => {
      asked += 1
      return path.endsWith('/slow') ? new Promise(() => {}) : Response.json({ data: [asked] })
    })
    data = await import('../../../../src/web/page/editor/source-data.ts')
  })
  afterAll(() => browser.restore())
  beforeEach(() => {
    sourceId += 1
    asked = 0
  })

  test('data of a source that has arrived is kept when its reader goes', async () => {
    const [one, other] = [{}, {}]
    expect(await data.readSource<unknown>(sourceId, 'labels', {}, one)).toEqual([1])
    data.stopReading(one)
    expect(await data.readSource<unknown>(sourceId, 'labels', {}, other)).toEqual([1])
    expect(asked).toBe(1)
  })

  test('a request for data of a source is aborted when its last reader goes', async () => {
    const [one, other] = [{}, {}]
    const answers = [one, other].map((reader) => data.readSource(sourceId, 'slow', {}, reader))
    await pass(0)
    data.stopReading(one)
    void data.readSource(sourceId, 'slow', {}, other)
    expect(asked).toBe(1)
    data.stopReading(other)
    expect(await Promise.all(answers)).toEqual([undefined, undefined])
    void data.readSource(sourceId, 'slow', {}, one)
    await pass(0)
    expect(asked).toBe(2)
  })

  test('of the data of sources, the newest 200 answers are kept', async () => {
    const reader = {}
    for (let at = 0; at <= 200; at += 1) await data.readSource(sourceId, `label/l${at}/values`, {}, reader)
    await data.readSource(sourceId, 'label/l200/values', {}, reader)
    expect(asked).toBe(201)
    await data.readSource(sourceId, 'label/l0/values', {}, reader)
    expect(asked).toBe(202)
  })
})
