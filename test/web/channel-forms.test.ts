import { expect, test } from 'bun:test'
import { channelTypes } from '../../src/notifications/channels/index.ts'
import { maskConfiguration, readConfiguration } from '../../src/notifications/configurations.ts'
import { configurationOf, valuesOf } from '../../src/web/page/pages/notify/channels/fields.ts'
import { productOf, products } from '../../src/web/page/pages/notify/channels/products.ts'
import { goodConfigurations } from '../support/good-configurations.ts'

const types = Object.entries(channelTypes)
const good = goodConfigurations as Record<string, { configuration: Record<string, unknown> } | undefined>

test.each(types)('the form of %s sends back what the API shows, and the API keeps it as it was', (name, type) => {
  const { configuration = {} } = good[name] ?? {}
  const stored = { type, configuration: type.read(configuration) }
  const shown = maskConfiguration(stored)
  const product = productOf({ product: type.product, channel_type: name, configuration: shown })
  if (!product) throw new Error(`${name} has no form in the page: add it to pages/notify/channels/products.ts`)
  const form = valuesOf(product.fields, shown)
  const sent = configurationOf(product.fields, { ...form, previous: shown })
  expect(readConfiguration(type, sent, stored)).toEqual(stored.configuration)
})

test.each(types)('the form of %s asks for each secret', (name, { product, secrets }) => {
  const { fields = [] } = products.find(({ type }) => type === (product ?? name)) ?? {}
  expect(secrets.filter((key) => !fields.some((field) => field.key === key))).toEqual([])
})

test('every input has a label', () => {
  const unlabelled = products.flatMap(({ id, fields }) =>
    fields.flatMap(({ key, label }) => (label ? [] : [`${id} ${key}`])),
  )
  expect(unlabelled).toEqual([])
})

test('every product is of a type of the API, and has a name and an id of its own', () => {
  const known = new Set(types.map(([name, { product }]) => product ?? name))
  expect(products.filter(({ type }) => !known.has(type))).toEqual([])
  expect(new Set(products.map(({ id }) => id)).size).toBe(products.length)
  expect(new Set(products.map(({ name }) => name)).size).toBe(products.length)
})
