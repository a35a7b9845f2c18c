export type Sample = { name: string; labels: Record<string, string>; value: number }

export type Exposition = {
  samples: Sample[]
  /**
   * Value of the one sample with this name and at least these labels; undefined: no such sample. Throws if there are several.
   */
  value(name: string, labels?: Record<string, string>): number | undefined
  all(name: string): Sample[]
  /** Type by metric family, for families that have a TYPE line. */
  types: Map<string, string>
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const pair = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y

/** Parses the text exposition format 0.0.4 strictly: throws for anything Prometheus would reject. */
export function readExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('no line break at the end')
  const types = new Map<string, string>()
  const helped = new Set<string>()
  const seen = new Set<string>()
  const ended = new Set<string>()
  const samples: Sample[] = []
  let family = ''
  for (const one of text.split('\n').filter((some) => some !== '')) {
    const [, comment, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(one) ?? []
    if (comment) {
      if (name !== family) {
        if (ended.has(name)) throw new Error(`${name} is in two places`)
        ended.add(family)
        family = name
      }
      if (comment === 'HELP') helped.add(name)
      else types.set(name, rest)
      continue
    }
    const sample = readSample(one)
    const isSeveral = ['histogram', 'summary'].includes(types.get(family) ?? '')
    const base = isSeveral ? sample.name.replace(/_(bucket|sum|count)$/, '') : sample.name
    if (base !== family || !helped.has(family)) throw new Error(`outside of its family: ${one}`)
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).toSorted()])
    if (seen.has(key)) throw new Error(`twice: ${one}`)
    seen.add(key)
    samples.push(sample)
  }
  const all = (name: string) => samples.filter((sample) => sample.name === name)
  return {
    samples,
    types,
    all,
    value(name, labels = {}) {
      const wanted = Object.entries(labels)
      const found = all(name).filter((sample) => wanted.every(([label, value]) => sample.labels[label] === value))
      if (found.length > 1) throw new Error(`${found.length} samples of ${name}`)
      return found[0]?.value
    },
  }
}

function readSample(text: string): Sample {
  const [, name = '', inside = '', value = ''] = line.exec(text) ?? []
  const number = value.endsWith('Inf') ? Number(`${value}inity`) : Number(value)
  if (name === '' || (Number.isNaN(number) && value !== 'NaN')) throw new Error(`no sample: ${text}`)
  const labels: Record<string, string> = {}
  let at = 0
  while (at < inside.length) {
    pair.lastIndex = at
    const [whole, label = '', escaped = ''] = pair.exec(inside) ?? []
    if (whole === undefined || label in labels) throw new Error(`bad labels: ${text}`)
    labels[label] = escaped.replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char))
    at += whole.length
  }
  return { name, labels, value: number }
}
