import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useRead } from '../../../api/use-read.ts'
import { Read, Skeleton } from '../../../ui/read.tsx'

const formPx = 400

/**
 * Makes the form of a new item, or of a stored one, which is read first; after a change elsewhere, as `versionOf` has it, the form begins
 * again. `list`: path of the items in the API.
 */
export function formOf<T>(
  list: string,
  Form: ComponentType<{ of: T | null }>,
  versionOf: (item: T) => string | number,
): ComponentType<{ id: number | null }> {
  function Stored({ id }: { id: number }) {
    const stored = useRead<T>(`${list}/${id}`)
    const [isFresh, setFresh] = useState(false)
    useEffect(() => void stored.read().then(() => setFresh(true)), [])
    if (!isFresh) return <Skeleton heightPx={formPx} /> // the form of an older value would begin again, without what was typed
    return (
      <Read of={stored} heightPx={formPx}>
        {(value) => <Form key={versionOf(value)} of={value} />}
      </Read>
    )
  }
  return ({ id }) => (id === null ? <Form of={null} /> : <Stored key={id} id={id} />)
}
