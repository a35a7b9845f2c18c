import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Elysia, t } from 'elysia'
import { describeApi } from '../../../src/http/openapi/openapi.ts'
import { operation } from '../../../src/http/openapi/operation.ts'

test('a schema that routes share is described once, although a route is called meanwhile', async () => {
  const State = t.Object({ status: t.String() }, { title: 'State' })
  const server = new Elysia()
  for (let n = 0; n < 1000; n += 1)
    server.get(`/${n}`, () => ({ status: '' }), operation(`get${n}`, 'One', { 200: State }))
  const described = describeApi(server, { basePath: '/', webhooks: {} })
  await turn()
  for (const { hooks } of server.routes.slice(-1)) Object.assign(hooks.response['200'], { additionalProperties: false }) // as Elysia does
  expect(Object.keys(JSON.parse(await described).components.schemas)).toContain('State')
})
