import { useEffect, useMemo } from 'preact/hooks'
import { type Resource, resource, use } from './resource.ts'

/** Resource of an API path while a component is mounted. It is read on mount, unless `isRead` is false. */
export function useResource<T>(path: string, isRead = true): Resource<T> {
  const read = useMemo(() => resource<T>(path), [path])
  useEffect(() => {
    if (!isRead) return
    const release = use(path)
    void read.read()
    return release
  }, [path, read, isRead])
  return read
}
