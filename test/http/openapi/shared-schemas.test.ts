import { expect, test } from 'bun:test'
import { Elysia, t } from 'elysia'
import { describeApi } from '../../../src/http/openapi/openapi.ts'
import { operation } from '../../../src/http/openapi/operation.ts'

test('a schema is the same for its routes, although Elysia has closed that of one which was called', async () => {
  const state = (options: object = {}) => t.Object({ status: t.String() }, { title: 'State', ...options })
  const server = new Elysia()
    .get('/a', () => ({ status: '' }), operation('getA', 'A', { 200: state() }))
    .get('/b', () => ({ status: '' }), operation('getB', 'B', { 200: state({ additionalProperties: false }) }))
  const { components } = JSON.parse(await describeApi(server, { basePath: '/', webhooks: {} }))
  expect(components.schemas.State).toEqual({
    type: 'object',
    required: ['status'],
    properties: { status: expect.objectContaining({ type: 'string' }) },
  })
})
