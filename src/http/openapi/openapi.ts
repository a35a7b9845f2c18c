import { toOpenAPISchema } from '@elysiajs/openapi/openapi'
import type { AnyElysia } from 'elysia'
import { runCooperatively, type CooperativeTask } from '../../concurrency/cooperative.ts'
import { exampleOf } from './example.ts'
import { isSchema, type Json, mapSchemas, type Named, type Schema, publishedSchema } from './schemas.ts'
import { routeName } from './routes-table.ts'
import { commonResponses, errorBody, info, parameterDescriptions, securitySchemes, tags } from './texts.ts'

type Hooks = AnyElysia['routes'][number]['hooks']

const openapi = '3.1.1'

/**
 * Generates the OpenAPI document of every route that is not hidden, as JSON. A route describes itself in `detail`; its
 * parameters, body and responses come from its schemas; responses common to its kind are added here. `basePath` prefixes every
 * path. `webhooks`: requests that nines makes itself, by name. Yields to the event loop.
 */
export function describeApi(server: AnyElysia, given: { basePath: string; webhooks: object }): Promise<string> {
  return runCooperatively('document', generateDocument(server, given))
}

function* generateDocument(
  server: AnyElysia,
  { basePath, webhooks }: Parameters<typeof describeApi>[1],
): CooperativeTask<string> {
  const generated = plain(toOpenAPISchema(server, { staticFile: false }).paths)
  // copied before the first yield: Elysia changes the schemas of a route, also shared ones, when a client first calls the route
  const schemas = new Map(
    server.routes.map(({ hooks: { body, response }, hooks }) => [hooks, plain({ body, response })]),
  )
  const named: Named = { Error: plain(errorBody) }
  const paths: Record<string, Schema> = {}
  for (const { method, path, hooks } of server.routes) {
    const templatedPath = path.replaceAll(/:(\w+)/g, '{$1}')
    const verb = method.toLowerCase()
    const operation = childOf(childOf(generated, templatedPath), verb)
    if (!operation) continue
    const operations = (paths[routeName(templatedPath)] ??= {})
    operations[verb] = describe(verb, operation, { ...hooks, ...schemas.get(hooks) }, named)
    yield
  }
  const security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }))
  const servers = [{ url: basePath, description: 'This instance' }]
  const sorted = Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const responses = Object.fromEntries(Object.values(commonResponses).map(({ name, response }) => [name, response]))
  const components = { securitySchemes, responses, schemas: sorted }
  return JSON.stringify({ openapi, info, servers, security, tags, paths, webhooks, components })
}

function describe(verb: string, generated: Schema, hooks: Hooks, named: Named): Schema {
  const { parameters, responses = {}, requestBody, ...operation } = generated
  const routeOperation = plain({ parameters: [], responses: {}, ...hooks.detail })
  if (Array.isArray(parameters)) {
    const all = [parameters, routeOperation['parameters']].flat().filter(isSchema)
    const byName = new Map(all.map((one) => [one['name'], one])) // for a path with a parameter, the generator omits the others
    operation['parameters'] = [...byName.values()].map((one) => describeParameter(one, named))
  }
  if (isObject(hooks.body)) operation['requestBody'] = describeBody(plain(hooks.body), named)
  else if (requestBody !== undefined) operation['requestBody'] = requestBody
  const bySchema = withOwnSchemas(isSchema(responses) ? responses : {}, hooks)
  operation['responses'] = {
    ...commonTo(verb, operation, hooks),
    ...(bySchema['201'] !== undefined && commonResponse(409)), // creates something
    ...withExamples(
      merge(bySchema, childOf(routeOperation, 'responses') ?? {}, named),
      String(operation['operationId']),
      named,
    ),
  }
  return operation
}

function describeParameter({ schema, ...rest }: Schema, named: Named): Schema {
  const description = parameterDescriptions[String(rest['name'])]
  return {
    ...(description && { description }),
    ...rest,
    schema: publishedSchema(isSchema(schema) ? schema : {}, named),
  }
}

/** Describes a body, which is always JSON, by its schema. Several examples stay in the schema. `isOptional`: the body may be absent. */
function describeBody({ examples, isOptional, ...schema }: Schema, named: Named): Schema {
  const [example, ...more] = Array.isArray(examples) ? examples : []
  const described = more.length > 0 ? { ...schema, examples: examples ?? [] } : schema
  const content = { schema: publishedSchema(described, named), ...(example !== undefined && { example }) }
  return { required: isOptional !== true, content: { 'application/json': content } }
}

const descriptions: Record<string, string> = { 201: 'Created', 202: 'Accepted' }

/** Merges responses. Content comes from the schemas or from the route's `detail`, which also has descriptions and headers. */
function merge(bySchema: Schema, routeResponses: Schema, named: Named): Schema {
  const statuses = Object.keys({ ...bySchema, ...routeResponses })
  return Object.fromEntries(
    statuses.map((status): [string, Json] => {
      const { description = descriptions[status] ?? 'Success', headers } = childOf(routeResponses, status) ?? {}
      const content = {
        ...publishedContent(childOf(childOf(bySchema, status), 'content'), named),
        ...childOf(childOf(routeResponses, status), 'content'),
      }
      return [status, { description, ...(headers && { headers }), ...(Object.keys(content).length > 0 && { content }) }]
    }),
  )
}

/** Replaces the generated schemas of responses by those of the route: the generator drops the description of a union of constants. */
function withOwnSchemas(responses: Schema, { response }: Hooks): Schema {
  const own: Record<string, unknown> = isObject(response) ? { ...response } : {}
  return mapSchemas(responses, (generated, status) => {
    const schema = own[status]
    const json = childOf(childOf(generated, 'content'), 'application/json')
    if (!json || !isObject(schema)) return generated
    return {
      ...generated,
      content: { ...childOf(generated, 'content'), 'application/json': { ...json, schema: plain(schema) } },
    }
  })
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Adds an example to successful JSON responses. Error responses have the texts of the route. */
function withExamples(responses: Schema, operationId: string, named: Named): Schema {
  return mapSchemas(responses, (response, status) => {
    const content = childOf(response, 'content') ?? {}
    const json = childOf(content, 'application/json')
    if (!json || !status.startsWith('2')) return response
    const example = exampleOf(childOf(json, 'schema') ?? {}, [operationId, status], named)
    return {
      ...response,
      content: { ...content, 'application/json': { ...json, ...(example !== undefined && { example }) } },
    }
  })
}

function publishedContent(content: Schema | undefined, named: Named): Schema {
  const parts = Object.entries(content ?? {})
  return Object.fromEntries(
    parts.map(([type, media]) => [
      type,
      { schema: publishedSchema((isSchema(media) && childOf(media, 'schema')) || {}, named) },
    ]),
  )
}

/** Responses that all routes of this kind have in common. */
function commonTo(
  verb: string,
  { parameters = [], requestBody, security }: Schema,
  { body, mapResponse }: Hooks,
): Schema {
  const locations = Array.isArray(parameters) ? parameters.map((one) => isSchema(one) && one['in']) : []
  const statuses = [
    ...(verb === 'get' && mapResponse ? [304] : []), // only http/headers/etag maps responses
    ...(locations.length > 0 || requestBody !== undefined ? [400] : []),
    ...(security === undefined ? [401] : []),
    403,
    ...(locations.includes('path') ? [404] : []),
    ...(body ? [408, 413, 415] : []),
    429,
    500,
    ...(verb === 'get' ? [] : [503]),
  ]
  return Object.assign({}, ...statuses.map(commonResponse))
}

function commonResponse(status: number): Schema {
  return { [status]: { $ref: `#/components/responses/${commonResponses[status]?.name}` } }
}

/** Object under a key of another one; undefined if there is none. */
function childOf(schema: Schema | undefined, key: string): Schema | undefined {
  const value = schema?.[key]
  return isSchema(value) ? value : undefined
}

/** Plain JSON, without TypeBox's symbols and undefined values. */
function plain(value: object): Schema {
  return JSON.parse(JSON.stringify(value))
}
