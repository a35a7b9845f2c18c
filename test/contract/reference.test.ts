import { describe, expect, test } from 'bun:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isSchema } from './arbitrary.ts'
import {
  closed,
  type Described,
  type Field,
  fieldsIn,
  type Json,
  operationsOf,
  readDocument,
  type Schema,
} from './document.ts'

const { document } = await readDocument()
const operations = operationsOf(document)
const named = operations.map((operation) => [operation.name, operation] as const)

test.each(named)('%s has a description that says more than its summary', (_, { summary, description = '' }) => {
  expect(description).toMatch(/^[A-Z`].{30,}[.)]$/s)
  expect(description).not.toContain(summary)
})

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv, ['date-time', 'email', 'uri'])
ajv.addSchema(closed(document), 'document')

type Example = { name: string; at: string; example: Json }
const examples = operations.flatMap(examplesOf)

test('each answer of JSON with a status of 2xx shows an example', () => {
  expect(examples.filter(({ example }) => example === undefined).map(({ name }) => name)).toEqual([])
  expect(examples.length).toBeGreaterThan(150)
})

test.each(examples.map((one) => [one.name, one] as const))(
  'the example of %s is as its schema says, with each required field and no other',
  (_, { at, example }) => {
    const validate = ajv.getSchema(`document#/${encodeURI(at)}/schema`)
    expect([validate?.(example), ajv.errorsText(validate?.errors)]).toEqual([true, 'No errors'])
  },
)

/** Suffixes of field names that give the unit. */
const unitSuffix = /(?:^id|_(?:seconds|ms|mb|bytes|percent|days|id|ids|count))$/
const unit =
  /\b(?:percent|percentage points|[Ss]econds|milliseconds|nanoseconds|days|bytes|0 to 1|times|the number of|how many|the ids?|in the unit of|HTTP status(?:es)?|exit code)\b/

test('each number of a body, an answer or a parameter names its unit or its range', () => {
  const fields = [...fieldsIn(document.components.schemas), ...fieldsIn(document.paths)]
  const parameters = operations.flatMap(({ parameters = [] }) =>
    parameters.map(({ name, description = '', schema }): Field => [name, { ...schema, description }]),
  )
  const missing = [...fields, ...parameters].filter(
    ([name, schema]) => isNumber(schema) && !unitSuffix.test(name) && !unit.test(String(schema['description'])),
  )
  expect(missing.map(([name, { description = '' }]) => `${name}: ${description}`)).toEqual([])
  expect(fields.filter(([, schema]) => isNumber(schema)).length).toBeGreaterThan(300)
})

test.each(['Error', 'PreviewResult'])('each code of a problem in %s has a row with its meaning', (title) => {
  const [codes] = fieldsIn(document.components.schemas[title]).flatMap(([name, schema]) =>
    name === 'code' ? [schema] : [],
  )
  const rows = String(codes?.['description']).split('\n')
  const values = [codes?.['enum'] ?? []].flat()
  expect(values.length).toBeGreaterThan(15)
  expect(values.filter((code) => !rows.some((row) => row.startsWith(`| \`${String(code)}\` | `)))).toEqual([])
})

test('a choice of an answer keeps its description, and a list of its values is none', () => {
  const choices = fieldsIn(document.components.schemas).filter(([, { enum: values }]) => values)
  expect(choices.filter(([, { description }]) => description !== undefined).length).toBeGreaterThan(50)
  expect(
    choices.filter(([, { description, enum: values }]) => description === `one of ${[values].flat().join(', ')}`),
  ).toEqual([])
})

describe('the examples tell of one world:', () => {
  const objects = examples.flatMap(({ name, example }) => objectsIn(example).map((object) => ({ name, object })))
  const numbers = (object: Schema, ...names: string[]) => names.map((name) => Number(object[name]))

  test('each budget adds up', () => {
    const budgets = objects.filter(({ object }) => 'percentage_used' in object && 'total' in object)
    expect(budgets.length).toBeGreaterThan(2)
    for (const { name, object } of budgets) {
      const [total = 0, used = 0, remaining = 0, percent = 0] = numbers(
        object,
        'total',
        'used',
        'remaining',
        'percentage_used',
      )
      expect([name, total - used, (100 * used) / total]).toEqual([
        name,
        expect.closeTo(remaining, 8),
        expect.closeTo(percent, 8),
      ])
    }
  })

  test('each budget is that of its target and SLI', () => {
    const slos = objects.filter(({ object }) => isSchema(object['error_budget']) && 'sli' in object)
    expect(slos.length).toBeGreaterThan(0)
    for (const { name, object } of slos) {
      const { total, used } = object['error_budget'] as { total: number; used: number }
      const [target = 0, sli = 0] = numbers(object, 'target', 'sli')
      expect([name, 100 - target, 100 - sli]).toEqual([name, expect.closeTo(total, 8), expect.closeTo(used, 8)])
    }
  })

  test('good and bad events add up to all, and make the SLI', () => {
    const counted = objects.filter(({ object }) => 'good' in object && 'total' in object && object['good'] !== null)
    expect(counted.length).toBeGreaterThan(2)
    for (const { name, object } of counted) {
      const [good = 0, total = 0] = numbers(object, 'good', 'total')
      if ('bad' in object) expect([name, total - good]).toEqual([name, Number(object['bad'])])
      if ('sli' in object)
        expect([name, (100 * good) / total]).toEqual([name, expect.closeTo(Number(object['sli']), 8)])
    }
  })

  test('incidents and the background make up what was used', () => {
    for (const { object } of objects.filter(({ object }) => 'background_percent' in object)) {
      const incidents = Array.isArray(object['incidents']) ? object['incidents'].filter(isSchema) : []
      const shares = incidents.map((one) => Number(one['budget_used_percent']))
      const sum = shares.reduce((all, one) => all + one, Number(object['background_percent']))
      expect(sum).toBeCloseTo(Number(object['budget_used_percent']), 8)
    }
  })

  test.each(['target', 'target_value', 'slo_name', 'revision'])('an SLO has one %s wherever it is shown', (field) => {
    const told = objects.filter(({ object }) => field in object && Number(object['slo_id']) > 0)
    expect(told.length).toBeGreaterThan(1)
    expect(new Set(told.map(({ object }) => JSON.stringify([object['slo_id'], object[field]]))).size).toBe(1)
  })

  test('what is asked for is in the answer', () => {
    const others = operations.filter(({ operationId }) => operationId !== 'changeOwnEmail') // the present address holds until it is confirmed
    const same = others.flatMap((operation) => {
      const asked = operation.requestBody?.content['application/json']?.example
      const given = examples.find(({ name }) => name.startsWith(`${operation.name} 2`))?.example
      if (!isSchema(asked) || !isSchema(given)) return []
      const answer: Schema = { ...given, ...(isSchema(given['data']) && given['data']) }
      const isSame = (field: string) => field in answer && !isElse.test(field) && typeof asked[field] !== 'object'
      const fields = Object.keys(asked).filter(isSame)
      return fields.map((field) => [`${operation.name} ${field}`, plain(asked[field]), plain(answer[field])])
    })
    expect(same.length).toBeGreaterThan(40)
    expect(same.filter(([, asked, answered]) => asked !== answered)).toEqual([])
  })

  test('a time span is as long as it says', () => {
    const spans = objects.filter(({ object }) => typeof object['ended_at'] === 'string' && 'duration_seconds' in object)
    expect(spans.length).toBeGreaterThan(2)
    for (const { name, object } of spans) {
      const seconds = (Date.parse(String(object['ended_at'])) - Date.parse(String(object['began_at']))) / 1000
      expect([name, seconds]).toEqual([name, Number(object['duration_seconds'])])
    }
  })
})

function examplesOf({ name, path, method, responses }: Described): Example[] {
  return Object.entries(responses).flatMap(([status, answer]) => {
    const media = '$ref' in answer ? undefined : answer.content?.['application/json']
    if (!status.startsWith('2') || !media) return []
    const keys = ['paths', path, method.toLowerCase(), 'responses', status, 'content', 'application/json']
    const at = keys.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    return [{ name: `${name} ${status}`, at, example: media.example as Json }]
  })
}

/** Response fields with another meaning than the request field of the same name. */
const isElse = /^(?:message|subject|refresh_token)$/

/** A time with milliseconds. */
const plain = (value: Json | undefined) => String(value).replace(/(:\d\d)Z$/, '$1.000Z')

/** True also for lists of numbers and unions with a number. */
function isNumber({ type, items, prefixItems, anyOf }: Schema): boolean {
  const parts = [items ?? [], prefixItems ?? [], anyOf ?? []].flat().filter(isSchema)
  return [type].flat().some((one) => one === 'number' || one === 'integer') || parts.some(isNumber)
}

function objectsIn(value: Json): Schema[] {
  if (typeof value !== 'object' || value === null) return []
  return [...(isSchema(value) ? [value] : []), ...Object.values(value).flatMap(objectsIn)]
}
