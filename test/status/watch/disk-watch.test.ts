import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DiskFailure, diskFailureOf } from '../../../src/db/failures/disk-failure.ts'
import type { Condition } from '../../../src/status/watch/conditions.ts'
import { createDiskWatch } from '../../../src/status/watch/disk-watch.ts'
import { newDataDir } from '../../support/app.ts'

let dataDir: string
beforeEach(() => {
  dataDir = newDataDir()
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const full = new DiskFailure('disk_full', 'ENOSPC')
const readOnly = new DiskFailure('disk_unwritable', 'EROFS')

function watched() {
  const state = { nowMs: 0, inPlace: () => {}, writes: async () => {}, resumed: 0 }
  const holding = new Map<Condition['name'], string>()
  const known = new Set<Condition['name']>()
  const said: unknown[] = []
  const ignored = () => {}
  const watch = createDiskWatch({
    dataDir,
    stopwatch: { now: () => state.nowMs },
    log: { debug: ignored, info: ignored, warn: ignored, error: (message, fields) => said.push([message, fields]) },
    conditions: {
      set(name, message) {
        known.add(name)
        if (message === null) holding.delete(name)
        else holding.set(name, message)
      },
      list: () => [],
      isKnown: () => true,
    },
    assertInPlace: () => state.inPlace(),
    tryWriting: () => state.writes(),
    onWritable: () => void (state.resumed += 1),
  })
  return { watch, state, holding, known, said }
}

test('a disk is full from the first write it refuses until it can be written, and then what waited is begun', async () => {
  const { watch, state, holding } = watched()
  expect(watch.assertWritable).not.toThrow()
  watch.noteRefusal(full)
  expect(watch.assertWritable).toThrow('disk is full')
  state.writes = () => Promise.reject(full)
  await watch.check()
  expect([...holding]).toEqual([['disk_full', 'disk is full']])
  state.writes = async () => {}
  await watch.check()
  expect([...holding]).toEqual([])
  expect(watch.assertWritable).not.toThrow()
  expect(state.resumed).toBe(1)
})

test('what a disk refused before the start is over if it can be written at the start', async () => {
  const { watch, state, known } = watched()
  await watch.checkStart()
  expect([...known].toSorted()).toEqual(['data_folder_replaced', 'disk_full', 'disk_unwritable'])
  expect(state.resumed).toBe(0)
})

test('what a disk refused before the start is not known to be over while it refuses, nor once it has refused again', async () => {
  const { watch, state, holding, known } = watched()
  state.writes = () => Promise.reject(full)
  await watch.checkStart()
  expect([...known]).toEqual([])
  state.writes = async () => watch.noteRefusal(readOnly)
  await watch.checkStart()
  expect([...holding.keys()]).toEqual(['disk_unwritable'])
})

test('a disk on which no file of a megabyte can be made is still full', async () => {
  const { watch, holding } = watched()
  watch.noteRefusal(full)
  mkdirSync(join(dataDir, 'space.trial', 'in the way'), { recursive: true })
  await watch.check()
  expect(holding.size).toBe(1)
})

test('a write that is refused while the disk is tried keeps the condition', async () => {
  const { watch, state, holding } = watched()
  watch.noteRefusal(full)
  state.writes = async () => watch.noteRefusal(new DiskFailure('disk_full', 'ENOSPC'))
  await watch.check()
  expect(holding.size).toBe(1)
})

test('writes that are refused are counted, and logged once a minute', async () => {
  const { watch, state, said } = watched()
  state.writes = () => Promise.reject(full)
  for (let second = 0; second < 180; second += 1) {
    watch.noteRefusal(full)
    await watch.check()
    state.nowMs += 1000
  }
  expect(said).toEqual([
    ['writes refused', { condition: 'disk_full', writes: 61 }],
    ['writes refused', { condition: 'disk_full', writes: 60 }],
  ])
})

test('a file system that becomes read-only is another condition, which takes the place of the first', () => {
  const { watch, holding } = watched()
  watch.noteRefusal(full)
  watch.noteRefusal(readOnly)
  expect([...holding]).toEqual([['disk_unwritable', 'data folder cannot be written (EROFS)']])
})

test('a database that is not at its place is a condition without a write, and no write is tried before it is back', async () => {
  const { watch, state, holding, said } = watched()
  let tried = 0
  state.writes = async () => void (tried += 1)
  state.inPlace = () => {
    throw new DiskFailure('data_folder_replaced', 'nines.db')
  }
  for (; state.nowMs < 180_000; state.nowMs += 1000) await watch.check()
  expect([...holding]).toEqual([['data_folder_replaced', 'nines.db was moved, removed or replaced']])
  expect([tried, said]).toEqual([0, []]) // no write was refused
  expect(watch.assertWritable).toThrow('nines.db was moved, removed or replaced')
  state.inPlace = () => {}
  await watch.check()
  expect([tried, state.resumed, holding.size]).toEqual([1, 1, 0])
})

test.each([
  ['SQLITE_FULL', 'disk is full'],
  ['ENOSPC', 'disk is full'],
  ['EDQUOT', 'disk is full'],
  ['EROFS', 'data folder cannot be written (EROFS)'],
  ['EMFILE', 'data folder cannot be written (EMFILE)'],
  ['SQLITE_IOERR_WRITE', 'data folder cannot be written (SQLITE_IOERR_WRITE)'],
  ['SQLITE_IOERR_SHMSIZE', 'data folder cannot be written (SQLITE_IOERR_SHMSIZE)'],
  ['SQLITE_CANTOPEN', 'data folder cannot be written (SQLITE_CANTOPEN)'],
  ['SQLITE_CORRUPT', undefined],
  ['SQLITE_CONSTRAINT_UNIQUE', undefined],
])('an error %s says of the disk: %s', (code, message) => {
  expect(diskFailureOf(Object.assign(new Error('failed'), { code }), dataDir)?.message).toBe(message)
})

test('where SQLite does not say why it cannot write, a file that is tried does', () => {
  const error = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })
  expect(diskFailureOf(error, join(dataDir, 'removed'))?.message).toBe('data folder cannot be written (ENOENT)')
})
