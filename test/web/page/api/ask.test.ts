import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type * as Ask from '../../../../src/web/page/api/ask.ts'
import type * as UsePreview from '../../../../src/web/page/slo/use-preview.ts'
import type { Preview, SloDraft } from '../../../../src/web/page/api/types.ts'
import { fakeBrowser, pass } from './fake-browser.ts'

type Asked = { body: { target: number }; signal: AbortSignal; answer: (response: Response) => void }

describe('the answer to a question, such as the preview of a draft,', () => {
  let browser: ReturnType<typeof fakeBrowser>
  let parts: typeof Ask & typeof UsePreview // loaded once the browser globals exist
  let asked: Asked[]
  let reading: ReturnType<typeof Ask.createAsk<SloDraft, Preview>>

  const draft = (target: number) => JSON.stringify({ metric_query: 'up', target, time_window: '30d' })
  const preview = (target: number, problems: object[] = []) => Response.json({ target_value: target, problems })
  const shown = () => reading.answer.peek()?.target_value
  const outcome = () => parts.outcomeOf(reading)

  beforeAll(async () => {
    browser = fakeBrowser(() => Response.json({}))
    globalThis.fetch = (async (url: string, { body, signal }: { body: string; signal: AbortSignal }) => {
      if (!url.endsWith('/api/v1/slos/preview?what_if=true')) return Response.json({})
      return new Promise<Response>((answer, fail) => {
        asked.push({ body: JSON.parse(body), signal, answer })
        signal.addEventListener('abort', () => fail(new DOMException('aborted', 'AbortError')))
      })
    }) as unknown as typeof fetch
    parts = {
      ...(await import('../../../../src/web/page/api/ask.ts')),
      ...(await import('../../../../src/web/page/slo/use-preview.ts')),
    }
  })
  afterAll(() => browser.restore())
  beforeEach(() => {
    asked = []
    reading = parts.createAsk({ path: '/slos/preview?what_if=true' })
  })

  test('the answer to a question, such as the preview of a draft, is asked for 400 ms after the last change', async () => {
    for (const target of [9, 99, 99.9]) {
      reading.ask(draft(target))
      await pass(300)
    }
    expect(asked).toEqual([])
    expect(reading.isReading.peek()).toBe(true)
    await pass(100)
    expect(asked.map(({ body }) => body.target)).toEqual([99.9])
    asked[0]?.answer(preview(99.9))
    await pass(0)
    expect([shown(), reading.isReading.peek(), reading.question.peek()?.target]).toEqual([99.9, false, 99.9])
    reading.ask(draft(99.9))
    await pass(1000)
    expect(asked).toHaveLength(1)
  })

  test('the answer to a question, such as the preview of a draft, stays while the next is awaited, and an answer to an older question is dropped', async () => {
    reading.ask(draft(99))
    await pass(400)
    asked[0]?.answer(preview(99))
    await pass(0)
    reading.ask(draft(99.5))
    await pass(400)
    expect([shown(), reading.isReading.peek()]).toEqual([99, true])
    reading.ask(draft(99.9))
    expect(asked[1]?.signal.aborted).toBe(true)
    asked[1]?.answer(preview(99.5))
    await pass(400)
    expect(shown()).toBe(99)
    asked[2]?.answer(preview(99.9))
    await pass(0)
    expect(shown()).toBe(99.9)
  })

  test('the answer to a question, such as the preview of a draft, says what the server refuses at its field, and why it did not answer', async () => {
    reading.ask(draft(99))
    await pass(400)
    const problem = { field: 'metric_query', message: 'parse error' }
    asked[0]?.answer(Response.json({ error: 'Validation failed', problems: [problem] }, { status: 400 }))
    await pass(0)
    expect(outcome()).toEqual({ problems: [problem] as never, error: null })

    reading.ask(draft(99.5))
    await pass(400)
    asked[1]?.answer(Response.json({ error: 'metrics source did not answer' }, { status: 503 }))
    await pass(0)
    expect([outcome().error?.message, outcome().problems, reading.isReading.peek()]).toEqual([
      'metrics source did not answer',
      [],
      false,
    ])
    reading.retry()
    expect(asked).toHaveLength(3)
    asked[2]?.answer(preview(99.5))
    await pass(0)
    expect([reading.error.peek(), shown()]).toEqual([null, 99.5])
  })

  test('the answer to a question, such as the preview of a draft, is asked again when the server wants a pause, and not once it is left', async () => {
    reading.ask(draft(99))
    await pass(400)
    const late = { status: 429, headers: { 'retry-after': '3' } }
    asked[0]?.answer(Response.json({ error: 'Too many requests' }, late))
    await pass(2900)
    expect(asked).toHaveLength(1)
    await pass(100)
    expect(asked).toHaveLength(2)
    reading.stop()
    expect(asked[1]?.signal.aborted).toBe(true)
    await pass(5000)
    expect([asked.length, reading.isReading.peek()]).toEqual([2, false])
  })

  test('the answer to a question, such as the preview of a draft, is asked for at once where the first question is not typed, and the second after the last change', async () => {
    reading = parts.createAsk({ path: '/slos/preview?what_if=true', firstAfterMs: 0 })
    reading.ask(draft(99))
    await pass(1)
    asked[0]?.answer(preview(99))
    await pass(0)
    reading.ask(draft(99.5))
    await pass(300)
    expect(asked).toHaveLength(1)
    await pass(100)
    expect(asked).toHaveLength(2)
  })

  test('the answer to a question, such as the preview of a draft, is not asked for while the draft is not complete', async () => {
    reading.ask(draft(99))
    await pass(200)
    reading.ask(null)
    await pass(1000)
    expect([asked.length, reading.isReading.peek()]).toEqual([0, false])
  })
})
