import { type Fields, inForm, inQuery, jsonResponse, type Schema } from '../../http/openapi/by-hand.ts'
import { detailOf, type Response } from '../../http/openapi/operation.ts'

/** OpenAPI reference of these routes. The routes read query strings and forms, and answer in the format of Prometheus. */

const texts: Schema = { type: 'array', items: { type: 'string' } }

const limit: Fields = {
  limit: 'maximum number of series or names, with a warning if there are more; 0: all',
}
const times: Fields = {
  ...limit,
  start: 'Unix seconds or RFC 3339; validated, and forwarded to an external source',
  end: 'like `start`',
}
const selectors: Fields = {
  'match[]': {
    ...texts,
    description: 'a series selector; given more than once, any of them',
  },
}
const query: Fields = { query: 'an expression in PromQL' }
const limits: Fields = {
  ...limit,
  timeout: 'maximum time, up to the limit of this instance: seconds or `30s`',
  lookback_delta: 'time for which a sample is the value of its series: seconds or `5m`, which is the default',
}
const instant: Fields = {
  ...query,
  time: 'time of the evaluation: Unix seconds or RFC 3339; absent: now',
  ...limits,
}
const range: Fields = {
  ...query,
  start: 'the first time: Unix seconds or RFC 3339',
  end: 'the last time, inclusive: Unix seconds or RFC 3339',
  step: 'time between two evaluations: seconds or `1m`; there are at most 11,000 steps',
  ...limits,
}

const labelName = {
  name: 'name',
  in: 'path' as const,
  required: true,
  description: 'the name of the label',
  schema: { type: 'string' as const },
}

const only = (value: string): Schema => ({ type: 'string', enum: [value] })
const data = (description: string, schema: Schema, optional: Fields = {}) =>
  jsonResponse(description, { status: only('success'), data: schema, ...optional }, { required: ['status', 'data'] })
const error = (description: string, ...errorTypes: string[]) =>
  jsonResponse(description, {
    status: only('error'),
    errorType: { type: 'string', enum: errorTypes },
    error: { type: 'string' },
  })

const annotations = { warnings: texts, infos: texts }
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

const wrongParameter = { 400: error('A parameter is missing or wrong', 'bad_data') }
const tooMuch = {
  422: error('The data does not allow it, or it asks for too much', 'execution'),
  503: error('It took too long', 'timeout'),
}
const wrongSource = {
  422: error('The source refuses it, or it asks for too much', 'execution'),
  503: error('The source does not answer, or it took too long', 'timeout', 'unavailable'),
}
const wrongForm = {
  408: 'The form did not arrive whole within 30 seconds',
  413: 'The form is larger than this instance takes',
  415: 'The body is not a form',
}

const up = { 'match[]': ['up'] }
const hour = { start: '1795251600', end: '1795255200', step: '60' }

/** Describes a route that takes its parameters from the query string (GET) or from a form (POST). */
function getAndPost(
  name: string,
  [summary, description]: [string, string],
  fields: Fields,
  [required, example]: [string[], Record<string, string | string[]>],
  answers: Record<number, Response>,
) {
  return {
    get: { ...detailOf(name, summary, { description, ...answers }), ...inQuery(fields, required) },
    post: {
      ...detailOf(`${name}ByForm`, `${summary}, by a form`, {
        description: `${description} The parameters are a form in the body, for those that are too long for a URL.`,
        ...answers,
        ...wrongForm,
      }),
      ...inForm(fields, required, example),
    },
  }
}

/** Descriptions of the embedded source, by route. */
const embeddedTexts = {
  query:
    'Over the samples of the organization; every role may ask. A query may read 50 million samples of 100,000 series; what queries ' +
    'cost is bounded by QUERY_CPU_SECONDS_PER_MINUTE, beyond which the answer is 429 with `Retry-After`.',
  range:
    'From `start` to `end` in steps of `step`, at most 11,000 of them. The bounds of a query at one time hold for all steps together.',
  series: 'Those that any `match[]` selects, by their labels; `start` and `end` do not narrow them.',
  labels: 'Of all series, or of those that `match[]` selects; `start` and `end` do not narrow them.',
  labelValues: 'Of all series, or of those that `match[]` selects. A name with other characters is escaped as `U__…`.',
  metadata: 'Type, help and unit by metric, as the last scrapes gave them.',
}

/** Descriptions of other sources, which nines queries on behalf of the caller. */
const forwardedTexts = {
  query:
    'Asks the source with its own credentials; every role may ask. Only the parameters that are listed leave nines. An answer has at most ' +
    '16 MB, 100,000 series and 500,000 samples. The embedded source answers as at `/embedded/prometheus`.',
  range: 'Asks the source as at one time; at most 11,000 steps and 500,000 samples in all.',
  series: 'Those of the source that any `match[]` selects, which has to be a series selector of PromQL.',
  labels: 'Those of the source, of all its series or of those that `match[]` selects.',
  labelValues: 'Those of the source, of all its series or of those that `match[]` selects.',
  metadata: 'Type, help and unit by metric, as the source has them.',
}

export type ApiReference = ReturnType<typeof referenceOf>

/** Reference of the routes. `noun`: part of their operation names; `isForwarded`: an external source answers. */
export function referenceOf(noun: string, { isForwarded = false } = {}) {
  const descriptions = isForwarded ? forwardedTexts : embeddedTexts
  const wrong = isForwarded ? { ...wrongParameter, ...wrongSource } : wrongParameter
  const wrongQuery = isForwarded ? wrong : { ...wrongParameter, ...tooMuch }
  return {
    query: getAndPost(
      `query${noun}`,
      ['Evaluate PromQL at one time', descriptions.query],
      instant,
      [['query'], { query: 'up' }],
      {
        200: data('The result', result, annotations),
        ...wrongQuery,
      },
    ),
    queryRange: getAndPost(
      `query${noun}Range`,
      ['Evaluate PromQL over a range of times', descriptions.range],
      range,
      [['query', 'start', 'end', 'step'], { query: 'up', ...hour }],
      { 200: data('The result', result, annotations), ...wrongQuery },
    ),
    series: getAndPost(
      `list${noun}Series`,
      ['List series', descriptions.series],
      { ...selectors, ...times },
      [['match[]'], up],
      {
        200: data('The labels of each', { type: 'array', items: labels }),
        ...wrong,
      },
    ),
    labels: getAndPost(
      `list${noun}Labels`,
      ['List the names of labels', descriptions.labels],
      { ...selectors, ...times },
      [[], up],
      {
        200: data('The names', texts),
        ...wrong,
      },
    ),
    labelValues: {
      ...detailOf(`list${noun}LabelValues`, 'List the values of a label', {
        description: descriptions.labelValues,
        200: data('The values', texts),
        ...wrong,
      }),
      parameters: [labelName, ...inQuery({ ...selectors, ...times }).parameters],
    },
    metadata: {
      ...detailOf(`list${noun}Metadata`, 'List the metadata of metrics', {
        description: descriptions.metadata,
        200: data('By the name of the metric', metadata),
        ...wrong,
      }),
      ...inQuery({
        metric: 'only the metadata of this metric',
        limit: 'maximum number of metrics; negative or absent: all',
      }),
    },
    rules: {
      ...detailOf(`list${noun}Rules`, 'List the rules of Prometheus, of which there are none here', {
        description: 'The list of groups is always empty: nines evaluates SLOs, not rules. Grafana requests it.',
        200: data('None', { type: 'object' }),
        ...wrongParameter,
      }),
      ...inQuery({ type: '`alert` or `record`' }),
    },
    buildInfo: detailOf(`get${noun}BuildInfo`, 'Get the version of Prometheus whose API this is', {
      description: 'Grafana decides by `version` what it may ask for; `revision` is the version of nines.',
      200: data('The version of Prometheus, and of nines in `revision`', { type: 'object' }),
    }),
  }
}
