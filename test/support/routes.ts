import { createServer } from '../../src/server.ts'
import { testApp } from './app.ts'

/** The parts of a field's schema that tests read. */
export type FieldSchema = { type?: string; anyOf?: FieldSchema[]; const?: unknown; properties?: Fields }
export type Fields = Record<string, FieldSchema>

/** `name` is `GET /api/v1/slos/:id`; `body` and `query` are the fields of their schemas, undefined without a schema. */
export type Route = { name: string; method: string; path: string; body: Fields | undefined; query: Fields | undefined }

/** All routes of the server, so that tests of all routes include new ones. */
export async function routesOfTheServer(): Promise<Route[]> {
  const { app, close } = await testApp()
  const found = createServer(app).routes.map(({ method, path, hooks }): Route => {
    const plain = path.replace(/(.)\/$/, '$1')
    return { name: `${method} ${plain}`, method, path: plain, body: fieldsOf(hooks.body), query: fieldsOf(hooks.query) }
  })
  await close()
  const once = new Map(found.map((route) => [route.name, route]))
  return [...once.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function fieldsOf(schema: unknown): Fields | undefined {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return undefined
  return schema.properties as Fields
}
