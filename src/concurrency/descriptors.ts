import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { AppError } from '../errors.ts'

const minFree = 12 // needed by a new worker; a check of a probe needs fewer

/**
 * Throws `unavailable` if so few file descriptors are free that a worker cannot start, or a check may have failed for want of
 * one.
 */
export function assertDescriptorsLeft(): void {
  const opened: number[] = []
  try {
    while (opened.length < minFree) opened.push(openSync(devNull, 'r'))
  } catch (cause) {
    throw new AppError('unavailable', 'No file descriptors are left', { cause })
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}
