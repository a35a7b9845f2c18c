import type { Clock } from '../../clock.ts'

export type Progress = {
  show(samples: number, fractionRead: number | undefined): void
  /** Takes the line of a terminal away. */
  end(): void
}

type Options = {
  out: { write(text: string): unknown }
  /** How wide the terminal is; undefined: it is none. */
  columns: number | undefined
  /** Any clock that counts milliseconds. */
  clock: Clock
}

const lineEveryMs = 5000
const barLength = 20
const clearLine = '\r\x1b[K'

/** How far an import has come: one line that is drawn again and again on a terminal, else a line now and then. The end is not for it to tell. */
export function createProgress({ out, columns, clock }: Options): Progress {
  const beganMs = clock.now()
  let saidMs = -Infinity

  function describe(samples: number, fraction: number | undefined): string {
    const seconds = Math.max(0.001, (clock.now() - beganMs) / 1000)
    const parts = [`${whole(samples)} samples`, `${whole(samples / seconds)}/s`]
    if (fraction === undefined || fraction === 0) return parts.join('  ')
    const left = duration((seconds * (1 - fraction)) / fraction)
    return [`${Math.floor(fraction * 100)} %`.padStart(6), ...parts, `${left} left`].join('  ')
  }

  return {
    show(samples, fraction) {
      const text = describe(samples, fraction)
      if (columns !== undefined) {
        const bar = fraction === undefined ? '' : barOf(fraction)
        out.write(clearLine + (bar + text).slice(0, columns - 1))
      } else if (samples > 0 && fraction !== 1 && clock.now() - saidMs >= lineEveryMs) {
        saidMs = clock.now()
        out.write(`${text.trimStart()}\n`)
      }
    },
    end() {
      if (columns !== undefined) out.write(clearLine)
    },
  }
}

/** `1,234,567`, of any number. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function barOf(fraction: number): string {
  const done = Math.floor(fraction * barLength)
  return `[${'#'.repeat(done)}${'.'.repeat(barLength - done)}]`
}

function duration(seconds: number): string {
  return seconds < 100 ? `${whole(seconds)} s` : `${whole(seconds / 60)} min`
}
