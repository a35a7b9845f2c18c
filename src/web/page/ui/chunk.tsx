import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { loadCode } from './lazy.ts'
import { Skeleton } from './read.tsx'

/**
 * Creates a component whose code is loaded when it is first shown. `heightPx`: height of the placeholder until then; null: no
 * placeholder.
 */
export function chunk<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  heightPx: number | null,
): ComponentType<Props> {
  let component: ComponentType<Props> | undefined
  return function Chunk(props: Props) {
    const [Part, setPart] = useState(() => component)
    useEffect(() => {
      const show = async () => {
        const part = (component ??= await loadCode(load))
        setPart(() => part)
      }
      void show()
    }, [])
    if (Part) return <Part {...props} />
    return heightPx === null ? null : <Skeleton heightPx={heightPx} />
  }
}
