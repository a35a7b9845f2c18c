import { effect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { follow, type Live } from './live-reads.ts'
import { type Resource, resource, use } from './resource.ts'

type Options<T> = {
  /** `false`: the resource is not read yet. */
  when?: boolean
  /** Rule for the messages of the server after which it is read again. */
  live?: Live<T> | false
  /** Time after a read until the next; undefined: there is none. */
  everyMs?: number | undefined | ((value: T) => number | undefined)
}

/** Resource of an API path while a component is mounted. It is read on mount, or once `when` is true. */
export function useRead<T>(path: string, options: Options<T> = {}): Resource<T> {
  const { when = true, live = false, everyMs } = options
  const read = useMemo(() => resource<T>(path), [path])
  const latest = useRef({ live, everyMs })
  latest.current = { live, everyMs }
  useEffect(() => {
    if (!live) return
    return follow(read, (message, value) => latest.current.live && latest.current.live(message, value))
  }, [read, !live])
  const isPeriodic = when && everyMs !== undefined
  // declared before the effect with `release`: it must end first, or it would react to a read that the release stops
  useEffect(() => {
    if (!isPeriodic) return
    return effect(() => {
      if (read.isReading.value) return
      const every = latest.current.everyMs
      const value = read.value.peek()
      const ms = typeof every === 'function' ? value && every(value) : every
      if (ms !== undefined) read.readSoon(ms)
    })
  }, [read, isPeriodic, typeof everyMs === 'number' ? everyMs : 0])
  useEffect(() => {
    const release = use(read, when)
    if (when) void read.read()
    return release
  }, [read, when])
  return read
}
