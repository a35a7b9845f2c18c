import { toOpenAPISchema, unwrapSchema } from '@elysiajs/openapi/openapi'
import type { AnyElysia } from 'elysia'
import { isSchema, type Json, type Named, type Schema, tidySchema } from './schemas.ts'
import { routeName } from './routes-table.ts'
import { commonAnswers, errorBody, info, meanings, responses, securitySchemes, tags } from './texts.ts'

type Hooks = AnyElysia['routes'][number]['hooks']

const openapi = '3.1.1'

/**
 * The OpenAPI document of every route that does not hide, as JSON. A route tells of itself in `detail`; its parameters,
 * body and answers come from its schemas, and what all routes of its kind answer is added here. `basePath`: in front of
 * every path.
 */
export function describeApi(server: AnyElysia, { basePath }: { basePath: string }): string {
  const generated = plain(toOpenAPISchema(server, { staticFile: false }).paths)
  const named: Named = { Error: plain(errorBody) }
  const paths: Record<string, Schema> = {}
  for (const { method, path, hooks } of server.routes) {
    const written = path.replaceAll(/:(\w+)/g, '{$1}')
    const verb = method.toLowerCase()
    const operation = at(at(generated, written), verb)
    if (!operation) continue
    const operations = (paths[routeName(written)] ??= {})
    operations[verb] = describe(verb, operation, hooks, named)
  }
  const security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }))
  const servers = [{ url: basePath, description: 'This instance' }]
  const schemas = Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const components = { securitySchemes, responses, schemas }
  return JSON.stringify({ openapi, info, servers, security, tags, paths, components })
}

function describe(verb: string, found: Schema, hooks: Hooks, named: Named): Schema {
  const { parameters, responses: answers = {}, requestBody, ...rest } = found
  const told = plain(hooks.detail?.responses ?? {})
  const operation: Schema = { ...rest }
  if (Array.isArray(parameters)) {
    const own = plain(hooks.detail?.parameters ?? [])
    const all = [parameters, own].flat().filter(isSchema)
    const byName = new Map(all.map((one) => [one['name'], one])) // of a path with a parameter the generator tells no others
    operation['parameters'] = [...byName.values()].map((one) => describeParameter(one, named))
  }
  if (hooks.body) operation['requestBody'] = describeBody(plain(unwrapSchema(hooks.body) ?? {}), named)
  else if (requestBody !== undefined) operation['requestBody'] = requestBody
  operation['responses'] = {
    ...commonTo(verb, operation, hooks),
    ...(isSchema(answers) && answers['201'] !== undefined && commonAnswer(409)), // makes something
    ...merge(isSchema(answers) ? answers : {}, told, named),
  }
  return operation
}

function describeParameter({ schema, ...rest }: Schema, named: Named): Schema {
  const description = meanings[String(rest['name'])]
  return {
    ...(description !== undefined && { description }),
    ...rest,
    schema: tidySchema(isSchema(schema) ? schema : {}, named),
  }
}

/** Only JSON is read. */
function describeBody({ examples, ...schema }: Schema, named: Named): Schema {
  const [example] = Array.isArray(examples) ? examples : []
  const content = { schema: tidySchema(schema, named), ...(example !== undefined && { example }) }
  return { required: true, content: { 'application/json': content } }
}

const descriptions: Record<string, string> = { 200: 'What was asked for, or done', 201: 'What was made' }

/** `answers` come from schemas, `told` from the route's own words. */
function merge(answers: Schema, told: Schema, named: Named): Schema {
  const statuses = new Set([...Object.keys(answers), ...Object.keys(told)])
  return Object.fromEntries(
    [...statuses].map((status): [string, Json] => {
      const answer = at(answers, status) ?? {}
      const words = at(told, status) ?? {}
      const content = { ...tidyContent(at(answer, 'content'), named), ...at(words, 'content') }
      const description = words['description'] ?? descriptions[status] ?? 'The same with this status'
      const headers = words['headers'] === undefined ? {} : { headers: words['headers'] }
      return [status, { description, ...headers, ...(Object.keys(content).length > 0 && { content }) }]
    }),
  )
}

function tidyContent(content: Schema | undefined, named: Named): Schema {
  const parts = Object.entries(content ?? {})
  return Object.fromEntries(
    parts.map(([type, media]) => [type, { schema: tidySchema((isSchema(media) && at(media, 'schema')) || {}, named) }]),
  )
}

/** What every route answers that is like this one. */
function commonTo(
  verb: string,
  { parameters = [], requestBody, security }: Schema,
  { body, mapResponse }: Hooks,
): Schema {
  const places = Array.isArray(parameters) ? parameters.map((one) => isSchema(one) && one['in']) : []
  const statuses = [
    ...(verb === 'get' && mapResponse ? [304] : []), // the validators of http/headers/etag are the only ones to map answers
    ...(places.length > 0 || requestBody !== undefined ? [400] : []),
    ...(security === undefined ? [401] : []),
    403,
    ...(places.includes('path') ? [404] : []),
    ...(body ? [408, 413, 415] : []),
    429,
    500,
    ...(verb === 'get' ? [] : [503]),
  ]
  return Object.assign({}, ...statuses.map(commonAnswer))
}

function commonAnswer(status: number): Schema {
  return { [status]: { $ref: `#/components/responses/${commonAnswers[status]}` } }
}

function at(schema: Schema | undefined, key: string): Schema | undefined {
  const value = schema?.[key]
  return isSchema(value) ? value : undefined
}

/** Without the symbols and the undefined of TypeBox. */
function plain(value: object): Schema {
  return JSON.parse(JSON.stringify(value))
}
