import { channelSchemas } from './index.ts'
import type { ChannelSchema, FieldSchema } from './schema.ts'

/** Table in Markdown of the keys that the configuration of each product has, as the reference shows it. */
export function describeConfigurations(): string {
  const rows = Object.entries<ChannelSchema>(channelSchemas).flatMap(([product, schema]) =>
    Object.entries(schema).map(([key, field]) => `| \`${product}\` | \`${key}\` | ${describeField(field)} |`),
  )
  return ['| type | key | value |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Kinds whose hint and placeholder are about a form, in which each entry is a line. */
const asLines = new Set<FieldSchema['kind']>(['headers', 'list', 'responders'])

function describeField({ kind, requirement, choices, range, default: standard, when, ...field }: FieldSchema): string {
  const is = when?.is === undefined ? '' : ` \`${String(when.is)}\``
  const { hint, placeholder } = asLines.has(kind) ? {} : field
  const parts = [
    requirement ?? 'optional',
    when && `with \`${when.key}\`${is} only`,
    kind === 'choice' && choices && `one of ${Object.entries(choices).map(describeChoice).join(', ')}`,
    kind === 'flag' && 'true or absent',
    kind === 'headers' && 'an object of names and values',
    kind === 'responders' && 'objects with `type` (team, user, escalation, schedule) and `name`',
    kind === 'list' && 'a list of texts',
    range && `${range[0]} to ${range[1]}`,
    field.maxEntries !== undefined && `at most ${field.maxEntries}`,
    standard !== undefined && `default ${standard}`,
    field.isSecret && 'secret',
    hint?.replace(/\.$/, ''),
    placeholder && `as \`${placeholder}\``,
  ]
  return parts.filter((part) => typeof part === 'string').join('; ')
}

function describeChoice([value, label]: [string, string]): string {
  return label.toLowerCase() === value.toLowerCase() ? value : `${value} (${label})`
}
