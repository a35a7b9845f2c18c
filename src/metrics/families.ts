/** `Content-Type` of the text exposition format 0.0.4. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Writer of metric families that are read again for each request, in the text exposition format 0.0.4. prom-client would take
 * 0.3 s for the series of 5,000 SLOs and block the event loop for most of it
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
 */
export type Families = {
  /** Declares a family. Its samples stay together, whatever the order in which samples of several families are added. */
  family(name: string, type: 'gauge' | 'counter', help: string): Family
  /** Encodes the samples added so far. Call it before each yield to the event loop, so that the end costs little. */
  pack(): void
  /** All families as bytes, after `text`, which holds other families. */
  bytesAfter(text: string): Uint8Array<ArrayBuffer>
}

/** Adds a sample; `labels` is the output of `labelText`. */
export type Family = (value: number, labels?: string) => void

type RenderedFamily = { packed: Uint8Array<ArrayBuffer>[]; text: string }

export function createFamilies(): Families {
  const families: RenderedFamily[] = []
  const pack = () => {
    for (const rendered of families) {
      if (rendered.text === '') continue
      rendered.packed.push(Buffer.from(rendered.text))
      rendered.text = ''
    }
  }
  return {
    family(name, type, help) {
      const rendered: RenderedFamily = { packed: [], text: `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n` }
      families.push(rendered)
      return (value, labels = '') => {
        rendered.text += labels === '' ? `${name} ${sampleText(value)}\n` : `${name}{${labels}} ${sampleText(value)}\n`
      }
    },
    pack,
    bytesAfter(text) {
      pack()
      return Buffer.concat([Buffer.from(text), ...families.flatMap(({ packed }) => packed)])
    },
  }
}

/** Label pairs as `a="1",b="2"`, with escaped values. */
export function labelText(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function sampleText(value: number): string {
  return Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}
