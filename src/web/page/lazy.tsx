import type { ComponentType } from 'preact'
import lazily from 'preact-iso/lazy'
import { useEffect, useState } from 'preact/hooks'
import { Skeleton } from './ui/states.tsx'

const flag = 'nines.reloaded'

/**
 * A route whose code is loaded when it is first shown. After an upgrade of the server the old files are gone: the page is
 * then loaded again, once.
 */
export function lazy(load: () => Promise<ComponentType>): ComponentType {
  return lazily(() => loaded(load))
}

/** A part of a page whose code is loaded when it is first shown; grey of its height until then. */
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

async function loaded<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    const part = await load()
    sessionStorage.removeItem(flag)
    return part
  } catch (error) {
    if (sessionStorage.getItem(flag) !== null) throw error
    sessionStorage.setItem(flag, '1')
    location.reload()
    return new Promise<never>(() => {})
  }
}
