import { problem } from '../../http/openapi/operation.ts'

/** What the reference says of these routes: they read query strings and forms, and answer as Prometheus does. */

type Response = ReturnType<typeof problem>
type Schema = NonNullable<NonNullable<Response['content']>[string]['schema']>
type Field = { description: string; repeats?: true }
type Fields = Record<string, Field>

const limit: Fields = {
  limit: { description: 'how many series or texts there are at most, with a warning where there were more; 0: all' },
}
const times: Fields = {
  ...limit,
  start: { description: 'a time, which is looked at only for whether it is one: Unix seconds or RFC 3339' },
  end: { description: 'the same' },
}
const selectors: Fields = {
  'match[]': { description: 'a series selector; given more than once, any of them', repeats: true },
}
const query: Fields = { query: { description: 'an expression in PromQL' } }
const limits: Fields = {
  ...limit,
  timeout: { description: 'how long it may take, at most as long as this instance allows: seconds or `30s`' },
  lookback_delta: { description: 'how long a sample counts: seconds or `5m`, which it is where it is absent' },
}
const instant: Fields = {
  ...query,
  time: { description: 'when; Unix seconds or RFC 3339; now, where it is absent' },
  ...limits,
}
const range: Fields = {
  ...query,
  start: { description: 'the first time: Unix seconds or RFC 3339' },
  end: { description: 'the last time there can be' },
  step: { description: 'from one time to the next: seconds or `1m`; there are at most 11,000 steps' },
  ...limits,
}

const labelName = {
  name: 'name',
  in: 'path' as const,
  required: true,
  description: 'the name of the label',
  schema: { type: 'string' as const },
}

const schemaOf = ({ repeats }: Field): Schema =>
  repeats ? { type: 'array', items: { type: 'string' } } : { type: 'string' }

const inQuery = (fields: Fields, required: string[] = []) => ({
  parameters: Object.entries(fields).map(([name, field]) => {
    const { description } = field
    return { name, in: 'query' as const, required: required.includes(name), description, schema: schemaOf(field) }
  }),
})

function inForm(fields: Fields, required: string[], example: Record<string, string | string[]>) {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { ...schemaOf(field), description: field.description }]),
  )
  const schema = { type: 'object' as const, properties, required }
  return { requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema, example } } } }
}

const json = (
  description: string,
  properties: Record<string, Schema>,
  optional: Record<string, Schema> = {},
): Response => {
  const required = Object.keys(properties)
  const schema = { type: 'object' as const, required, properties: { ...properties, ...optional } }
  return { description, content: { 'application/json': { schema } } }
}
const data = (description: string, schema: Schema, optional?: Record<string, Schema>) =>
  json(description, { status: { type: 'string', enum: ['success'] }, data: schema }, optional)
const error = (description: string, errorType: string) =>
  json(description, {
    status: { type: 'string', enum: ['error'] },
    errorType: { type: 'string', enum: [errorType] },
    error: { type: 'string' },
  })

const texts: Schema = { type: 'array', items: { type: 'string' } }
const remarks = { warnings: texts, infos: texts }
const labels: Schema = { type: 'object', additionalProperties: { type: 'string' } }
const metadata: Schema = {
  type: 'object',
  additionalProperties: {
    type: 'array',
    items: {
      type: 'object',
      properties: { type: { type: 'string' }, help: { type: 'string' }, unit: { type: 'string' } },
    },
  },
}
const result: Schema = {
  type: 'object',
  required: ['resultType', 'result'],
  properties: {
    resultType: { type: 'string', enum: ['scalar', 'string', 'vector', 'matrix'] },
    result: { type: 'array', items: {} },
  },
}

const wrong = { 400: error('A parameter is missing or wrong', 'bad_data') }
const wrongQuery = {
  ...wrong,
  422: error('The data does not allow it, or it asks for too much', 'execution'),
  503: error('It took too long', 'timeout'),
}
const wrongForm = {
  408: problem('The form did not arrive whole within 30 seconds'),
  413: problem('The form is larger than this instance takes'),
  415: problem('The body is not a form'),
}

const up = { 'match[]': ['up'] }
const hour = { start: '1795251600', end: '1795255200', step: '60' }

/** The words of a route that is asked in both ways. */
function both(
  name: string,
  summary: string,
  fields: Fields,
  [required, example]: [string[], Record<string, string | string[]>],
  answers: Record<number, Response>,
) {
  return {
    get: { operationId: name, summary, ...inQuery(fields, required), responses: answers },
    post: {
      operationId: `${name}ByForm`,
      summary: `${summary}, by a form`,
      ...inForm(fields, required, example),
      responses: { ...answers, ...wrongForm },
    },
  }
}

export const reference = {
  query: both('queryEmbedded', 'Evaluate PromQL at one time', instant, [['query'], { query: 'up' }], {
    200: data('What it comes to', result, remarks),
    ...wrongQuery,
  }),
  queryRange: both(
    'queryEmbeddedRange',
    'Evaluate PromQL at one time after another',
    range,
    [['query', 'start', 'end', 'step'], { query: 'up', ...hour }],
    { 200: data('What it comes to', result, remarks), ...wrongQuery },
  ),
  series: both('listEmbeddedSeries', 'List series', { ...selectors, ...times }, [['match[]'], up], {
    200: data('The labels of each', { type: 'array', items: labels }),
    ...wrong,
  }),
  labels: both('listEmbeddedLabels', 'List the names of labels', { ...selectors, ...times }, [[], up], {
    200: data('The names', texts),
    ...wrong,
  }),
  labelValues: {
    operationId: 'listEmbeddedLabelValues',
    summary: 'List the values of a label',
    parameters: [labelName, ...inQuery({ ...selectors, ...times }).parameters],
    responses: { 200: data('The values', texts), ...wrong },
  },
  metadata: {
    operationId: 'listEmbeddedMetadata',
    summary: 'List what targets say of their metrics',
    ...inQuery({
      metric: { description: 'only of this metric' },
      limit: { description: 'of at most so many metrics; of all, where it is negative or absent' },
    }),
    responses: { 200: data('By the name of the metric', metadata), ...wrong },
  },
  rules: {
    operationId: 'listEmbeddedRules',
    summary: 'List the rules of Prometheus, of which there are none here',
    ...inQuery({ type: { description: '`alert` or `record`' } }),
    responses: { 200: data('None', { type: 'object' }), ...wrong },
  },
  buildInfo: {
    operationId: 'getEmbeddedBuildInfo',
    summary: 'Which Prometheus this answers like',
    responses: { 200: data('The version of Prometheus, and of nines in `revision`', { type: 'object' }) },
  },
}
