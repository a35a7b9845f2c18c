import { useState } from 'preact/hooks'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { type Drill, SeriesText, DrillStepsRow } from '../drill.tsx'
import type { Drawn } from './graph-lines.ts'
import { inOrder, type LineStyle, maxDistinct, type Order, type StyleSlots, styleOf, withToggled } from './styles.ts'
import { allLabel, drawLabel, drawnWords, firstLabel, onlyLabel } from '../words.ts'

type Props = {
  series: readonly Drawn[]
  /** Number of series that could be drawn, in the legend or not. */
  total: number
  slots: StyleSlots
  /** Series that is shown alone. */
  only: string | null
  order: Order
  format: (value: number) => string
  drill: Drill
  onSlots: (slots: StyleSlots) => void
  onOnly: (name: string | null) => void
  onOrder: (order: Order) => void
  onMark: (name: string | null) => void
}

const columns = [
  ['last', 'Last'],
  ['mean', 'Mean'],
  ['min', 'Min'],
  ['max', 'Max'],
] as const

/**
 * Legend of a graph: a row for each series with its figures over the range. A click on a row shows its series alone, a click on a label
 * shows the drill-down steps from its value. If there are more than eight series, the drawn ones can be chosen.
 */
export function Legend(props: Props) {
  const { series, slots, order } = props
  const sorted = inOrder(series, order)
  const isChoice = series.length > maxDistinct
  return (
    <>
      {isChoice && <Choice {...props} sorted={sorted} />}
      <div
        class={`explore-legend${isChoice ? ' scrolls' : ''}`}
        tabIndex={isChoice ? 0 : undefined}
        role="region"
        aria-label="Legend"
      >
        <table>
          <thead>
            <tr>
              <Head {...props} by="name" text="Series" />
              {columns.map(([by, text]) => (
                <Head key={by} {...props} by={by} text={text} />
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map((one) => (
              <Row key={one.name} {...props} one={one} at={slots.indexOf(one.name)} isChoice={isChoice} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

/** Row of a series; `at`: index of its style, -1 if it is not drawn. */
function Row({ one, at, isChoice, ...props }: Props & { one: Drawn; at: number; isChoice: boolean }) {
  const { slots, only, format, drill, onSlots, onOnly, onMark } = props
  const { name, labels, figures } = one
  const [opened, setOpened] = useState<string | null>(null)
  const isDrawn = at >= 0
  const isOnly = only === name
  const toggle = () => onOnly(isOnly ? null : name)
  return (
    <>
      <tr
        class={isDrawn && (only === null || isOnly) ? 'drawn' : 'off'}
        onPointerEnter={() => onMark(name)}
        onPointerLeave={() => onMark(null)}
        onClick={({ target }) => {
          if (isDrawn && !(target as Element).closest('button, input')) toggle()
        }}
      >
        <th scope="row">
          {isChoice && (
            <input
              type="checkbox"
              aria-label={drawLabel(name)}
              checked={isDrawn}
              onChange={() => onSlots(withToggled(slots, name))}
            />
          )}
          {isDrawn ? (
            <span class="key">
              <button
                type="button"
                class="button quiet small"
                aria-pressed={isOnly}
                aria-label={onlyLabel(name)}
                title={isOnly ? 'Show all' : 'Show only this'}
                onClick={toggle}
                onFocus={() => onMark(name)}
                onBlur={() => onMark(null)}
              >
                <Key style={styleOf(at)} />
              </button>
              <SeriesText labels={labels} opened={opened} onOpen={setOpened} />
            </span>
          ) : (
            <code>{name}</code>
          )}
        </th>
        {columns.map(([by, text]) => (
          <td key={by} class="number" data-label={text}>
            {figures[by] === null ? '–' : format(figures[by])}
          </td>
        ))}
      </tr>
      {isDrawn && opened !== null && (
        <DrillStepsRow
          columns={columns.length + 1}
          labels={labels}
          label={opened}
          drill={drill}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

function Choice({ series, total, sorted, slots, only, onSlots }: Props & { sorted: readonly Drawn[] }) {
  const count = only === null ? slots.filter((name) => name !== null).length : 1
  const names = sorted.map(({ name }) => name)
  return (
    <div class="explore-choice">
      <span>{drawnWords(count, total)}</span>
      <Button small kind="quiet" onClick={() => onSlots(names.slice(0, maxDistinct))}>
        {firstLabel(maxDistinct)}
      </Button>
      <Button small kind="quiet" onClick={() => onSlots(names)}>
        {total > series.length ? firstLabel(series.length) : allLabel(series.length)}
      </Button>
    </div>
  )
}

type HeadProps = Pick<Props, 'order' | 'onOrder'> & { by: NonNullable<Order>['by']; text: string }

/** Head of a column. A click sorts by it (figures from the highest), a second reverses that, a third restores the order of the source. */
function Head({ order, onOrder, by, text }: HeadProps) {
  const isHighestFirst = by !== 'name'
  const isHere = order?.by === by
  const next: Order = !isHere
    ? { by, isDescending: isHighestFirst }
    : order.isDescending === isHighestFirst
      ? { by, isDescending: !isHighestFirst }
      : null
  return (
    <th
      scope="col"
      class={isHighestFirst ? 'number' : undefined}
      aria-sort={isHere ? (order.isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" class="sort" onClick={() => onOrder(next)}>
        {text}
        {isHere && <Icon name={order.isDescending ? 'arrow-down' : 'arrow-up'} size={12} />}
      </button>
    </th>
  )
}

function Key({ style: { color, dash, hasDots } }: { style: LineStyle }) {
  return (
    <svg viewBox="0 0 24 10" width="24" height="10" aria-hidden="true">
      <path d="M0 5h24" style={{ stroke: `var(${color})`, strokeDasharray: dash?.join(' ') ?? 'none' }} />
      {hasDots && <path class="dot" d="M9 5a3 3 0 1 0 6 0a3 3 0 1 0 -6 0" style={{ stroke: `var(${color})` }} />}
    </svg>
  )
}
