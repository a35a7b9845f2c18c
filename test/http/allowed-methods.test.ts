import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { routesOfTheServer } from '../support/routes.ts'

let nines: TestApp
beforeAll(async () => {
  nines = await joinedApp({ env: { RATE_LIMIT_PER_IP: '0', RATE_LIMIT_WRITES_PER_IP: '0', RATE_LIMIT_GLOBAL: '0' } })
})
afterAll(() => nines.close())

const byPath = Map.groupBy(await routesOfTheServer(), ({ path }) => path)
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const taken = [...byPath].map(([path, routes]): [path: string, taken: string[]] => {
  const own = routes.map(({ method }) => method).filter((method) => method !== 'OPTIONS')
  return [path, [...own, ...(own.includes('GET') ? ['HEAD'] : [])].toSorted()]
})

test.each(taken.filter(([path]) => !path.includes('*')))('%s takes %j and nothing else', async (path, own) => {
  const others = methods.filter((method) => !own.includes(method))
  const answers = await Promise.all(
    others.map(async (method) => {
      const { status, headers } = await nines.call(method, path.replace(/:\w+/g, '1'))
      return [method, status, headers.get('allow')]
    }),
  )
  expect(answers).toEqual(others.map((method) => [method, 405, own.join(', ')]))
})
