import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { loaded } from './lazy.ts'
import { Skeleton } from './read.tsx'

/** A part of a page whose code is loaded when it is first shown, with a grey placeholder of its height until then; null: nothing. */
export function chunk<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  heightPx: number | null,
): ComponentType<Props> {
  let known: ComponentType<Props> | undefined
  return function Chunk(props: Props) {
    const [Part, setPart] = useState(() => known)
    useEffect(() => {
      const show = async () => {
        const part = (known ??= await loaded(load))
        setPart(() => part)
      }
      void show()
    }, [])
    if (Part) return <Part {...props} />
    return heightPx === null ? null : <Skeleton heightPx={heightPx} />
  }
}
