import { useEffect } from 'preact/hooks'
import type { Resource } from '../../../api/resource.ts'
import { useResource } from '../../../api/use-resource.ts'

const everyMs = 5000

/** A list of the API, read again every few seconds while the page is visible. */
export function useList<T>(path: string): Resource<T> {
  const list = useResource<T>(path)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) list.readSoon(0)
    }, everyMs)
    return () => clearInterval(timer)
  }, [list])
  return list
}
