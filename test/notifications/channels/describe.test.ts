import { expect, test } from 'bun:test'
import { describeConfigurations } from '../../../src/notifications/channels/schemas/describe.ts'
import { channelExamples } from '../../../src/notifications/channels/schemas/examples.ts'
import { channelSchemas } from '../../../src/notifications/channels/schemas/index.ts'
import type { ChannelSchema } from '../../../src/notifications/channels/schemas/schema.ts'

const rows = describeConfigurations().split('\n')

test.each(Object.entries<ChannelSchema>(channelSchemas))(
  'the reference has each key of %s once, with its rule',
  (product, schema) => {
    const own = rows.filter((row) => row.startsWith(`| \`${product}\` |`))
    expect(own).toHaveLength(Object.keys(schema).length)
    for (const [key, { requirement = 'optional' }] of Object.entries(schema)) {
      expect(own.filter((row) => row.startsWith(`| \`${product}\` | \`${key}\` | ${requirement}`))).toHaveLength(1)
    }
  },
)

test('a bound, a choice, a default and a condition of a key are in its row', () => {
  expect(rows).toContain(
    '| `pushover` | `retry_seconds` | optional; with `emergency` `true` only; 30 to 10800; default 60 |',
  )
  expect(rows).toContain('| `webhook` | `format` | optional; one of nines, alertmanager; default nines |')
  expect(rows).toContain(
    '| `email` | `smtp_security` | optional; with `smtp_server` only; one of starttls (STARTTLS, port 587), tls (TLS, port 465), none (None, port 25) |',
  )
  expect(rows).toContain('| `email` | `recipients` | optional; a list of texts; at most 50 |')
})

test('each product has an example, with keys that it has', () => {
  expect(new Set(channelExamples.map((example) => example.channel_type))).toEqual(new Set(Object.keys(channelSchemas)))
  for (const { channel_type, configuration } of channelExamples) {
    const schema: ChannelSchema = channelSchemas[channel_type as keyof typeof channelSchemas]
    expect(Object.keys(configuration).filter((key) => !(key in schema))).toEqual([])
    const required = Object.entries(schema).filter(([, { requirement, when }]) => requirement !== undefined && !when)
    expect(required.filter(([key]) => !(key in configuration))).toEqual([])
  }
})
