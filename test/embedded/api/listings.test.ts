import { afterEach, expect, mock, spyOn, test } from 'bun:test'
import { listSeries } from '../../../src/embedded/api/listings.ts'
import type { Matcher } from '../../../src/embedded/promql/matchers.ts'

afterEach(() => void mock.restore())

/** Each look at the clock is 10 ms later. */
function slowly() {
  let ms = 0
  spyOn(performance, 'now').mockImplementation(() => (ms += 10))
}

const asking = (...selectors: string[]) => ({
  organizationId: 1,
  parameters: new URLSearchParams(selectors.map((one): [string, string] => ['match[]', one])),
})

const samples = {
  series(_organizationId: number, matchers: readonly Matcher[]) {
    for (let n = 0; n < 1000; n += 1) tried += Number(matchers.some(({ fits }) => fits(`${n}`)))
    return []
  },
  labelNames: () => [],
  labelValues: () => [],
}
let tried = 0

test.each([
  ['one selector that takes long', ['{job=~".+"}']],
  ['many of them together', Array<string>(100).fill('{job="a",instance=~".+"}')],
])('%s is stopped', async (_, selectors) => {
  tried = 0
  slowly()
  await expect(listSeries(samples, asking(...selectors))).rejects.toThrow('Query took too long')
  expect(tried).toBeLessThan(250)
})
