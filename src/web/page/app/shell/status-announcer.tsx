import { useEffect, useRef, useState } from 'preact/hooks'
import { resource } from '../../api/resource.ts'
import type { Budget, Overview, Slo } from '../../api/types.ts'
import { now } from '../../clock.ts'
import { type ShownState, shownState, states } from '../../slo/states.ts'
import { changedCountSentence, changedSentence } from './words.ts'

type ShownSlo = { id: number; name: string; state: ShownState }

const minIntervalMs = 10_000
const maxNamed = 3

/** Live region that announces changes of the state of the visible SLOs to screen readers, at most once in ten seconds. */
export function StatusAnnouncer({ path }: { path: string }) {
  const shown = shownOn(path)
  const view = path.startsWith('/slos/') ? 'slo' : 'all' // the overview and an SLO are read at different times
  const lastStates = useRef(new Map<string, ShownState>())
  const unannounced = useRef(new Map<number, ShownSlo>())
  const announcedMs = useRef(-minIntervalMs)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [text, setText] = useState('')
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    for (const slo of shown) {
      const key = `${view} ${slo.id}`
      const previous = lastStates.current.get(key)
      lastStates.current.set(key, slo.state)
      // first figures are no change
      if (previous !== undefined && previous !== 'measuring' && previous !== slo.state)
        unannounced.current.set(slo.id, slo)
    }
    if (unannounced.current.size === 0) return
    clearTimeout(timer.current)
    timer.current = setTimeout(
      () => {
        announcedMs.current = now()
        setText(changesText([...unannounced.current.values()]))
        unannounced.current.clear()
      },
      Math.max(0, announcedMs.current + minIntervalMs - now()),
    )
  }, [[view, ...shown.map(({ id, state }) => `${id} ${state}`)].join()])
  return (
    <p class="hidden-text" role="status">
      {text}
    </p>
  )
}

function shownOn(path: string): ShownSlo[] {
  const id = /^\/slos\/(\d+)$/.exec(path)?.[1]
  if (id === undefined) {
    const slos = path === '/' ? (resource<Overview>('/slos/overview').value.value?.slos ?? []) : []
    return slos.map((slo) => ({ id: slo.id, name: slo.name, state: shownState(slo) }))
  }
  const name = resource<Slo>(`/slos/${id}`).value.value?.name
  const budget = resource<Budget>(`/slos/${id}/budget`).value.value
  return name === undefined || budget === undefined ? [] : [{ id: Number(id), name, state: shownState(budget) }]
}

function changesText(changed: ShownSlo[]): string {
  if (changed.length <= maxNamed)
    return changed.map(({ name, state }) => changedSentence(name, states[state].label)).join(' ')
  const counts = Map.groupBy(changed, ({ state }) => states[state].label)
  return changedCountSentence(
    changed.length,
    [...counts].map(([label, { length }]) => [label, length] as const),
  )
}
