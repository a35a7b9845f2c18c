import { useEffect, useMemo } from 'preact/hooks'
import { type Resource, resource, use } from './resource.ts'

/** The resource at a path of the API for as long as a component is there; read when it appears, unless it need not be. */
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
