import { useMemo } from 'preact/hooks'
import type { FigureProps } from '../charts/figure.tsx'
import type { PlotProps } from '../charts/plot-types.ts'
import type { Columns } from '../charts/table-data.ts'
import { TimeChart } from '../charts/time-chart.tsx'
import { nowMs } from '../ui/time.tsx'
import { type Burned, burnDownLines, hasLine } from './budget-chart-lines.ts'
import { leftTick, leftWords } from './budget-words.ts'

type Point = Burned['burn_down'][number]
type Props = Pick<FigureProps<Point>, 'title' | 'name' | 'sentence' | 'explore'> &
  Pick<PlotProps, 'heightPx' | 'onZoom'> & { budget: Burned }

const zeroLevel = [{ value: 0, label: '', color: '--ink3' }]
const columnsOf = (points: readonly Point[]): Columns<Point> => [
  ['Time', ({ timestamp }) => timestamp],
  ['Left, %', ({ remaining_percent }) => remaining_percent],
  ...(points.some(({ remaining_percent_without }) => remaining_percent_without !== undefined)
    ? [withoutCorrectionsColumn]
    : []),
  ['Ideal, %', ({ ideal_percent }) => ideal_percent],
  ['Coverage', ({ coverage }) => coverage],
]

const withoutCorrectionsColumn: Columns<Point>[number] = [
  'Left without corrections, %',
  ({ remaining_percent_without = null }) => remaining_percent_without,
]

/** Chart of the remaining budget over the window. It is drawn again if `budget` is another object. */
export function BudgetOverTime({ budget, ...props }: Props) {
  const { burn_down: points } = budget
  const drawn = useMemo(() => burnDownLines(budget, nowMs.peek()), [budget])
  return (
    <TimeChart
      {...props}
      {...drawn}
      rows={points.slice(
        Math.max(
          0,
          points.findIndex(({ coverage }) => coverage > 0),
        ),
      )}
      columns={columnsOf(points)}
      isEmpty={!hasLine(points)}
      format={leftTick}
      read={leftWords}
      levels={zeroLevel}
      label="Budget left over time"
    />
  )
}
