import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useRead } from '../../../api/use-read.ts'
import { Read, Skeleton } from '../../../ui/read.tsx'

const formPx = 400

/**
 * Makes the form of a new item, or of a stored one, which is read first. When `versionOf` of the stored item changes (somebody else saved
 * it), the form starts over with the new values. `list`: path of the items in the API.
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
    if (!isFresh) return <Skeleton heightPx={formPx} /> // a form of the cached item would start over, and lose what was typed
    return (
      <Read of={stored} heightPx={formPx}>
        {(value) => <Form key={versionOf(value)} of={value} />}
      </Read>
    )
  }
  return ({ id }) => (id === null ? <Form of={null} /> : <Stored key={id} id={id} />)
}
