/** Warnings and infos of a query, in the format of Prometheus. */
export type Annotations = { warnings: string[]; infos: string[] }

/** Collects annotations of a query, each text once. `from`: offset in the query; for a repeated text the last one counts. */
export type Annotator = {
  warn(text: string, from: number): void
  inform(text: string, from: number): void
  /** The first 10 warnings and 10 infos, each list with the number of the others, as in Prometheus; null if both lists are empty. */
  annotations(): Annotations | null
}

const maxListed = 10
const maxKept = 1000

export function createAnnotator(query: string): Annotator {
  const [warnings, infos] = [new Map<string, number>(), new Map<string, number>()]
  const addTo = (offsets: Map<string, number>, text: string, from: number) => {
    if (offsets.size < maxKept || offsets.has(text)) offsets.set(text, from)
  }
  return {
    warn: (text, from) => addTo(warnings, text, from),
    inform: (text, from) => addTo(infos, text, from),
    annotations() {
      if (warnings.size + infos.size === 0) return null
      return { warnings: format(query, warnings, 'warning'), infos: format(query, infos, 'info') }
    },
  }
}

function format(query: string, offsets: Map<string, number>, kind: string): string[] {
  const texts = [...offsets].map(([text, from]) => `PromQL ${kind}: ${text} (${lineAndColumn(query, from)})`)
  const omitted = texts.length - maxListed
  return omitted > 0 ? [...texts.slice(0, maxListed), `${omitted} more ${kind} annotations omitted`] : texts
}

/** Line and column from 1, the column in bytes. */
function lineAndColumn(query: string, from: number): string {
  const lines = query.slice(0, from).split('\n')
  return `${lines.length}:${Buffer.byteLength(lines.at(-1) ?? '') + 1}`
}

/** Formats a number like `%g` in Go. */
export function shortNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const places = Number(exponent)
  if (places >= -4 && places < 6) return String(value)
  const digits = String(Math.abs(places)).padStart(2, '0')
  return `${mantissa}e${places < 0 ? '-' : '+'}${digits}`
}

export const quantileOutOfBounds = (share: number) =>
  `quantile value should be between 0 and 1, got ${shortNumber(share)}`
