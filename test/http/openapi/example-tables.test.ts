import { expect, test } from 'bun:test'
import { answers } from '../../../src/http/openapi/examples/answers.ts'
import { fields } from '../../../src/http/openapi/examples/fields.ts'
import { notificationSchemas } from '../../../src/http/openapi/examples/notify-schemas.ts'
import { otherSchemas } from '../../../src/http/openapi/examples/other-schemas.ts'
import { sloSchemas } from '../../../src/http/openapi/examples/slo-schemas.ts'
import { units } from '../../../src/http/openapi/texts.ts'
import { fieldsIn, operationsOf, readDocument } from '../../contract/document.ts'

const { document } = await readDocument()
const schemas = [sloSchemas, notificationSchemas, otherSchemas].flatMap(Object.keys)
const operations = new Set(operationsOf(document).map(({ operationId }) => operationId))
const properties = new Set(fieldsIn(document).map(([name]) => name))

test('each table of examples and units names only what the document has', () => {
  const unknown = {
    operations: Object.keys(answers).filter((name) => !operations.has(name.replace(/ \d+$/, ''))),
    schemas: schemas.filter((title) => !(title in document.components.schemas)),
    fields: Object.keys(fields).filter((name) => !properties.has(name)),
    units: Object.keys(units).filter((name) => !properties.has(name)),
  }
  expect(unknown).toEqual({ operations: [], schemas: [], fields: [], units: [] })
  expect(new Set(schemas).size).toBe(schemas.length)
})
