import { type Drawn, styleOf } from './graph-lines.ts'

type Props = {
  series: readonly Drawn[]
  hidden: ReadonlySet<string>
  onHide: (hidden: ReadonlySet<string>) => void
  onMark: (name: string | null) => void
}

/** Legend of a graph: a button for each series that shows or hides it. */
export function Legend({ series, hidden, onHide, onMark }: Props) {
  const toggle = (name: string) => {
    const changed = new Set(hidden)
    if (!changed.delete(name)) changed.add(name)
    onHide(changed)
  }
  return (
    <ul class="explore-legend" aria-label="Series" tabIndex={series.length > shownWithoutScrolling ? 0 : undefined}>
      {series.map(({ name }, at) => {
        const { color, dash } = styleOf(at)
        return (
          <li key={name}>
            <button
              type="button"
              aria-pressed={!hidden.has(name)}
              title={hidden.has(name) ? 'Show' : 'Hide'}
              onClick={() => toggle(name)}
              onPointerEnter={() => onMark(name)}
              onPointerLeave={() => onMark(null)}
              onFocus={() => onMark(name)}
              onBlur={() => onMark(null)}
            >
              <span class="key">
                <svg viewBox="0 0 24 6" width="24" height="6" aria-hidden="true">
                  <path d="M0 3h24" style={{ stroke: `var(${color})`, strokeDasharray: dash?.join(' ') ?? 'none' }} />
                </svg>{' '}
                {name}
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

const shownWithoutScrolling = 6
