import { runsLabel } from './words.ts'

export type Run = { at: string; ok: boolean; duration_ms: number }

const cell = 5
const height = 20
const max = 20

/**
 * Chart of the last runs. The height of a bar is the duration of the run; failed runs have full height and the critical colour.
 */
export function Runs({ of }: { of: Run[] }) {
  if (of.length === 0) return null
  const longest = Math.max(1, ...of.filter(({ ok }) => ok).map(({ duration_ms }) => duration_ms))
  const failed = of.filter(({ ok }) => !ok).length
  const label = runsLabel(of.length - failed, of.length, longest)
  const first = max - of.length
  return (
    <svg
      class="runs"
      viewBox={`0 0 ${max * cell} ${height}`}
      width={max * cell}
      height={height}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {of.map(({ at, ok, duration_ms }, place) => {
        const high = ok ? Math.max(2, Math.round((height * duration_ms) / longest)) : height
        return (
          <rect
            key={at}
            class={ok ? 'run' : 'run failed'}
            x={(first + place) * cell}
            y={height - high}
            width={cell - 1}
            height={high}
          />
        )
      })}
    </svg>
  )
}
