import type { Label } from '../../exposition/sample.ts'
import { labelName } from './names.ts'
import type { AnyValue, KeyValue } from './schema.ts'

/**
 * Labels of a resource for its series: `promoted` give way to those of a point, `identity` (`job`, `instance`) replaces them.
 * `target`: labels of its `target_info`, if it has one.
 */
export type ResourceLabels = { promoted: Label[]; identity: Label[]; target: Label[] | undefined }

const identifyingKeys = new Set(['service.name', 'service.namespace', 'service.instance.id'])

/** Text of a value of an attribute; anything but a text as in JSON. */
export function attributeText(value: AnyValue = {}): string {
  const raw = rawValue(value)
  return raw === null || raw === undefined ? '' : typeof raw === 'string' ? raw : JSON.stringify(raw)
}

function rawValue({ stringValue, boolValue, intValue, doubleValue, ...more }: AnyValue = {}): unknown {
  const scalar = stringValue ?? boolValue ?? intValue ?? doubleValue
  if (scalar !== undefined) return scalar
  const { arrayValue, kvlistValue, bytesValue } = more
  if (bytesValue) return Buffer.from(bytesValue).toString('base64')
  if (arrayValue) return (arrayValue.values ?? []).map(rawValue)
  if (!kvlistValue) return null
  const pairs = (kvlistValue.values ?? []).map(({ key = '', value }) => [key, rawValue(value)] as const)
  return Object.fromEntries(pairs.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** Labels of attributes. Values of keys that become the same label are joined by `;`, in the order of the keys. */
export function attributeLabels(attributes: readonly KeyValue[]): Map<string, string> {
  const sorted = attributes.toSorted(({ key: one = '' }, { key: other = '' }) =>
    one < other ? -1 : one > other ? 1 : 0,
  )
  const labels = new Map<string, string>()
  for (const { key = '', value } of sorted) {
    const name = labelName(key)
    const former = labels.get(name)
    labels.set(name, former === undefined ? attributeText(value) : `${former};${attributeText(value)}`)
  }
  return labels
}

/** Labels of a resource. `promoted`: keys of attributes that all its series get as labels. */
export function resourceLabels(attributes: readonly KeyValue[], promoted: readonly string[]): ResourceLabels {
  const valueOf = (of: string) => {
    const found = attributes.find(({ key }) => key === of)
    return found && attributeText(found.value)
  }
  const [name, namespace, instance] = ['service.name', 'service.namespace', 'service.instance.id'].map(valueOf)
  const identity: Label[] = []
  if (name !== undefined) identity.push(['job', namespace === undefined ? name : `${namespace}/${name}`])
  if (instance !== undefined) identity.push(['instance', instance])
  const others = attributes.filter(({ key = '' }) => !identifyingKeys.has(key))
  const hasTarget = others.length > 0 && identity.length > 0
  return {
    promoted: [...attributeLabels(attributes.filter(({ key = '' }) => promoted.includes(key)))],
    identity,
    target: hasTarget
      ? [...new Map([...attributeLabels(others), ...identity, ['__name__', 'target_info'] as const])]
      : undefined,
  }
}
