import type { ComponentType } from 'preact'
import { useRead } from '../../../api/use-read.ts'
import { Read } from '../../../ui/read.tsx'

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
    return (
      <Read of={stored} heightPx={400}>
        {(value) => <Form key={versionOf(value)} of={value} />}
      </Read>
    )
  }
  return ({ id }) => (id === null ? <Form of={null} /> : <Stored id={id} />)
}
