import { runsLabel } from './words.ts'

export type Run = { at: string; ok: boolean; duration_ms: number }

const cellPx = 5
const heightPx = 20
const maxRuns = 20

/**
 * Chart of the last runs. The height of a bar is the duration of the run; failed runs have full height and the critical colour.
 */
export function Runs({ of }: { of: Run[] }) {
  if (of.length === 0) return null
  const longest = Math.max(1, ...of.filter(({ ok }) => ok).map(({ duration_ms }) => duration_ms))
  const failed = of.filter(({ ok }) => !ok).length
  const label = runsLabel(of.length - failed, of.length, longest)
  const first = maxRuns - of.length
  return (
    <svg
      class="runs"
      viewBox={`0 0 ${maxRuns * cellPx} ${heightPx}`}
      width={maxRuns * cellPx}
      height={heightPx}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {of.map(({ at, ok, duration_ms }, index) => {
        const barPx = ok ? Math.max(2, Math.round((heightPx * duration_ms) / longest)) : heightPx
        return (
          <rect
            key={at}
            class={ok ? 'run' : 'run failed'}
            x={(first + index) * cellPx}
            y={heightPx - barPx}
            width={cellPx - 1}
            height={barPx}
          />
        )
      })}
    </svg>
  )
}
