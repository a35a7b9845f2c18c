import { useEffect, useMemo } from 'preact/hooks'
import { type Resource, resource, use } from './resource.ts'

/** Resource of an API path while a component is mounted. It is read on mount, or once `isRead` is true. */
export function useResource<T>(path: string, isRead = true): Resource<T> {
  const read = useMemo(() => resource<T>(path), [path])
  useEffect(() => {
    const release = use(read, isRead)
    if (isRead) void read.read()
    return release
  }, [read, isRead])
  return read
}
