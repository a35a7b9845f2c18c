import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { loaded } from './lazy.ts'
import { Skeleton } from './read.tsx'

/** A part of a page whose code is loaded when it is first shown, with a grey placeholder of its height until then. */
export function chunk<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  heightPx: number,
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
    return Part ? <Part {...props} /> : <Skeleton heightPx={heightPx} />
  }
}
