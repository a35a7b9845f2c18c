import { expect, test } from 'bun:test'
import { answerOf, operationsOf, readDocument } from './document.ts'

// The reference that docs/api.md, "Pagination" and "ETag", refers to.
const { document } = await readDocument()
const reads = operationsOf(document).filter(({ name }) => name.startsWith('GET /api/v1/'))
const ofPrometheus = /\/prometheus\/api\/v1\//
const takes = ({ parameters = [] }: (typeof reads)[number], name: string) => parameters.some((one) => one.name === name)

test('an operation takes page and page_size, and answers with the fields of a page, or none of these', () => {
  const paged = reads.filter((read) => takes(read, 'page') || takes(read, 'page_size'))
  expect(paged.length).toBeGreaterThan(8)
  for (const read of paged) {
    const { example } = answerOf(document, read, 200)?.content?.['application/json'] ?? {}
    expect([read.name, takes(read, 'page'), takes(read, 'page_size')]).toEqual([read.name, true, true])
    const { data, ...answer } = Object(example)
    expect({ ...data, ...answer }, read.name).toMatchObject({
      total: expect.any(Number),
      page: expect.any(Number),
      page_size: expect.any(Number),
      has_next: expect.any(Boolean),
    })
  }
})

test('most reads have an ETag, and none of the Prometheus-compatible API', () => {
  const tagged = reads.filter(({ responses }) => '304' in responses)
  expect(tagged.length).toBeGreaterThan(reads.length / 2)
  expect(tagged.filter(({ path }) => ofPrometheus.test(path))).toEqual([])
})
